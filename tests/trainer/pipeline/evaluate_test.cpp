// select(), evaluate() and evaluate_jointly() by a scorer whose scores are known, against plain loops.
#include <bzscr_train/bzscr_train.hpp>

#include "memory_arrays.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <string>

namespace bzscr {
namespace {

using namespace train;
using test::DataFolder;
using test::MemoryArrays;
using Rows = std::vector<std::int64_t>;

/// A score of any sample and place: not monotonous, and some are equal.
float any_score(std::int64_t row, std::size_t place) {
  return static_cast<float>((row * 7 + static_cast<std::int64_t>(place) * 13) % 11);
}

/// Scores by any_score(), and notes which rows it was given.
class KnownScorer : public SampleScorer {
 public:
  KnownScorer(const MemoryArrays& memory, std::size_t classes)
      : memory_(memory), classes_(classes) {}

  void score(const float* X, std::int64_t n, std::int64_t row, float* scores) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::int64_t i = 0; i < n; ++i) {
      rows_.push_back(row + i);
      const auto expected = memory_.features.row(row + i);
      same_features_ = same_features_ && std::equal(expected.begin(), expected.end(),
                                                    X + i * memory_.features.cols());
      for (std::size_t c = 0; c < classes_; ++c)
        scores[static_cast<std::size_t>(i) * classes_ + c] = any_score(row + i, c);
    }
  }
  Rows rows() const {
    std::sort(rows_.begin(), rows_.end());
    return rows_;
  }
  bool same_features() const { return same_features_; }

 private:
  const MemoryArrays& memory_;
  std::size_t classes_;
  mutable std::mutex mutex_;
  mutable Rows rows_;
  mutable bool same_features_ = true;
};

/// KnownScorer, which notes what it is taught.
class NotingScorer : public TeachableScorer {
 public:
  NotingScorer(const MemoryArrays& memory, std::size_t classes)
      : memory_(memory), known_(memory, classes) {}

  void score(const float* X, std::int64_t n, std::int64_t row, float* scores) const override {
    for (std::int64_t i = 0; i < n; ++i) taught_one_ = taught_one_ || taught_.count(row + i) > 0;
    known_.score(X, n, row, scores);
  }
  void teach(std::int64_t place, const float* x, std::int64_t row) override {
    const auto expected = memory_.features.row(row);
    CHECK(std::equal(expected.begin(), expected.end(), x));
    CHECK(memory_.arrays.labels[static_cast<std::size_t>(row)] == place);  // all classes compete
    CHECK(taught_.insert(row).second);
    ++lessons;
  }
  void forget() override {
    taught_.clear();
    ++begins;
  }
  bool scored_a_taught_sample() const { return taught_one_; }

  int lessons = 0, begins = 0;

 private:
  const MemoryArrays& memory_;
  KnownScorer known_;
  std::set<std::int64_t> taught_;
  mutable bool taught_one_ = false;
};

Context on_threads(int threads) {
  Context context;
  context.threads = threads;
  return context;
}

/// Places by falling score, the first of equal ones first.
std::vector<std::size_t> order_of(std::int64_t row, std::size_t classes) {
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return any_score(row, a) > any_score(row, b);
  });
  return order;
}

}  // namespace

TEST_CASE("a selection has all samples of its classes, and of seen classes those held out") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  const train::Partition partition = data.partition();

  const Selection unseen = select(data, partition, "unseen");
  CHECK(unseen.description == "unseen");
  CHECK(unseen.classes == Rows{6, 7});
  CHECK(unseen.samples == Rows{6, 7, 14, 15, 22, 23, 30, 31, 38, 39, 46, 47});
  CHECK(select(data, partition, "validation").classes == Rows{4, 5});
  CHECK(select(data, partition, "validation").samples.size() == 12);
  CHECK(select(data, partition, "seen").classes == Rows{0, 1, 2, 3, 4, 5});
  CHECK(select(data, partition, "seen").samples == Rows{40, 41, 42});
  const Selection all = select(data, partition, "all");
  CHECK(all.classes == Rows{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(all.samples == Rows{6, 7, 14, 15, 22, 23, 30, 31, 38, 39, 40, 41, 42, 46, 47});
}

TEST_CASE("a selection of nothing, or by an unknown word, is an input error") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  const train::Partition nothing;
  for (const char* which : {"unseen", "validation", "seen", "all"})
    CHECK_THROWS_AS(select(data, nothing, which), InputError);
  CHECK_THROWS_WITH(select(data, data.partition(), "some"),
                    "classes is 'some'; expected unseen, validation, seen or all");
  train::Partition wrong = data.partition();
  wrong.held_out = {48};
  CHECK_THROWS_AS(select(data, wrong, "seen"), InputError);
}

TEST_CASE("an evaluation counts as plain loops do, for any number of threads") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  train::Partition partition = data.partition();
  partition.validation_folds.clear();
  partition.held_out.clear();
  partition.unseen = {1, 2, 3, 4, 5, 7};  // more than the five best
  const Selection selection = select(data, partition, "unseen");
  const std::size_t C = selection.classes.size();

  std::int64_t wrong = 0, in_five = 0;
  std::vector<std::int32_t> best;
  std::vector<double> correct(C), samples(C);
  for (const std::int64_t row : selection.samples) {
    const auto truth = static_cast<std::size_t>(
        std::find(selection.classes.begin(), selection.classes.end(), row % 8) -
        selection.classes.begin());
    const std::vector<std::size_t> order = order_of(row, C);
    best.push_back(static_cast<std::int32_t>(order[0]));
    wrong += order[0] != truth;
    in_five += std::find(order.begin(), order.begin() + 5, truth) != order.begin() + 5;
    samples[truth] += 1;
    correct[truth] += order[0] == truth;
  }
  double per_class = 0;
  for (std::size_t c = 0; c < C; ++c) per_class += correct[c] / samples[c] / static_cast<double>(C);
  const auto N = static_cast<double>(selection.samples.size());

  for (const int threads : {1, 2, 5, 0}) {
    CAPTURE(threads);
    const KnownScorer scorer(memory, C);
    const Evaluation result = evaluate(data, selection, scorer, on_threads(threads));
    CHECK(scorer.rows() == selection.samples);  // each once
    CHECK(scorer.same_features());
    CHECK(result.samples == static_cast<std::int64_t>(N));
    CHECK(result.classes_with_samples == static_cast<std::int64_t>(C));
    CHECK(result.error_rate == doctest::Approx(static_cast<double>(wrong) / N));
    CHECK(result.top5 == doctest::Approx(static_cast<double>(in_five) / N));
    CHECK(result.per_class_top1 == doctest::Approx(per_class));
    CHECK(result.best == best);
    REQUIRE(result.per_class.size() == C);
    for (std::size_t c = 0; c < C; ++c) {
      CHECK(result.per_class[c].class_row == selection.classes[c]);
      CHECK(static_cast<double>(result.per_class[c].correct) == correct[c]);
    }
  }
}

TEST_CASE("mean Delta is of the data set's divergence between true and best class") {
  const DataFolder folder;
  MemoryArrays memory(folder);
  ReadOptions zero_one;
  zero_one.divergence = "zero-one";
  const train::Dataset data = train::Dataset::from_arrays(memory.arrays, "memory", zero_one, {});
  const Selection selection = select(data, data.partition(), "unseen");
  const Evaluation result = evaluate(data, selection, KnownScorer(memory, 2), {});
  REQUIRE(result.error_rate > 0);
  CHECK(result.mean_delta == doctest::Approx(result.error_rate));
}

TEST_CASE("seen and unseen accuracy are those of plain loops, with the penalty and without") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  const train::Partition partition = data.partition();
  const Selection all = select(data, partition, "all");
  const double penalty = 3;  // that the scores of seen classes hold already
  const auto share = [&](bool seen, double given_back) {
    std::vector<double> correct(8), samples(8);
    for (const std::int64_t row : all.samples) {
      const auto truth = static_cast<std::size_t>(row % 8);
      std::size_t best = 0;
      const auto score = [&](std::size_t c) {
        return static_cast<double>(any_score(row, c)) + (c < 6 ? given_back : 0);
      };
      for (std::size_t c = 1; c < 8; ++c)
        if (score(c) > score(best)) best = c;
      samples[truth] += 1;
      correct[truth] += best == truth;
    }
    double sum = 0, classes = 0;
    for (std::size_t c = seen ? 0 : 6; c < (seen ? 6u : 8u); ++c)
      if (samples[c] > 0) sum += correct[c] / samples[c], classes += 1;
    return sum / classes;
  };
  const JointEvaluation result =
      evaluate_jointly(data, partition, all, KnownScorer(memory, 8), penalty, on_threads(2));
  CHECK(result.with.seen == doctest::Approx(share(true, 0)));
  CHECK(result.with.unseen == doctest::Approx(share(false, 0)));
  CHECK(result.without.seen == doctest::Approx(share(true, penalty)));
  CHECK(result.without.unseen == doctest::Approx(share(false, penalty)));
  CHECK(result.ausuc >= 0);
  CHECK(result.ausuc <= 1);
  CHECK(result.per_class.size() == 8);
  CHECK_THROWS_AS(evaluate_jointly(data, partition, select(data, partition, "unseen"),
                                   KnownScorer(memory, 2), penalty, {}),
                  InputError);
}

namespace {

/// Refuses some samples.
struct Refusing : SampleScorer {
  explicit Refusing(std::int64_t row) : first(row) {}
  std::int64_t first;
  void score(const float*, std::int64_t n, std::int64_t row, float* scores) const override {
    for (std::int64_t i = 0; i < n; ++i)
      if (row + i >= first) throw InputError("row " + std::to_string(row + i));
    std::fill(scores, scores + n * 2, 0.0f);
  }
};

}  // namespace

TEST_CASE("of samples that cannot be scored the first is named, for any number of threads") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  const Selection selection = select(data, data.partition(), "unseen");
  for (const int threads : {1, 3, 8})
    CHECK_THROWS_WITH(evaluate(data, selection, Refusing(22), on_threads(threads)), "row 22");
  CHECK_NOTHROW(evaluate(data, selection, Refusing(48), on_threads(3)));
}

TEST_CASE("a stop ends an evaluation with an interruption") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  Context context;
  context.stop = [] { return true; };
  try {
    evaluate(data, select(data, data.partition(), "unseen"), KnownScorer(memory, 2), context);
    FAIL("not interrupted");
  } catch (const InputError& error) {
    CHECK(error.kind() == ErrorKind::kInterrupted);
  }
}

TEST_CASE("a selection that the data set does not have is an input error") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  const KnownScorer scorer(memory, 2);
  for (const Selection& wrong :
       {Selection{"none", {6, 7}, {}}, Selection{"not a class", {6, 8}, {6}},
        Selection{"falling", {7, 6}, {6}}, Selection{"no sample", {6, 7}, {48}},
        Selection{"of another class", {6, 7}, {0}}})
    CHECK_THROWS_AS(evaluate(data, wrong, scorer, {}), InputError);
}

TEST_CASE(
    "each unseen class is taught so many samples of its own, at most half of them, and none of "
    "them "
    "is tested") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  const train::Partition partition = data.partition();
  const Selection all = select(data, partition, "all");
  NotingScorer scorer(memory, all.classes.size());
  const TeachingEvaluation result =
      evaluate_taught(data, partition, all, scorer, {{1, 2, 9}, 4, 5}, on_threads(1));
  CHECK(scorer.lessons == 4 * 2 * 3);  // of six samples of a class
  CHECK(scorer.begins == 4 + 1);
  CHECK_FALSE(scorer.scored_a_taught_sample());
  CHECK(result.joint);
  CHECK(result.tested == 3 + 2 * 3);
  REQUIRE(result.after.size() == 4);
  CHECK(result.after[0].shots == 0);
  CHECK(result.after[3].shots == 9);
  // The scores do not depend on what was taught, and the samples that are tested are the same.
  for (const AfterTeaching& each : result.after) {
    CHECK(each.among_unseen.mean == result.after[0].among_unseen.mean);
    CHECK(each.harmonic.deviation == result.after[0].harmonic.deviation);
  }
  CHECK(result.after[0].seen.deviation == 0);

  const auto refusal = [&](const TeachOptions& options) {
    try {
      evaluate_taught(data, partition, all, scorer, options, {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refusal({{}, 1, 1}) == "shots: is empty; expected one number or more");
  CHECK(refusal({{2, 2}, 1, 1}) == "shots: entry 1 is 2; expected rising numbers from 1");
  CHECK(refusal({{0}, 1, 1}) == "shots: entry 0 is 0; expected rising numbers from 1");
  CHECK(refusal({{1}, 0, 1}) == "repeats: is 0; expected 1 or more");
}

}  // namespace bzscr
