#include "core/feature_blocks.h"
#include "core/metrics.h"
#include "core/reducer.h"
#include "geometry/split_problem.h"
#include "pipeline/context.h"
#include "pipeline/dataset.h"

#include <fmt/format.h>

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>

namespace bzscr::train {
namespace {

constexpr Index kRanks = 5;

// Selections

bool contains(const std::vector<std::int64_t>& rising, std::int64_t value) {
  return std::binary_search(rising.begin(), rising.end(), value);
}

std::int64_t label_of(const Dataset& data, std::int64_t row) {
  return data.content().data.labels[static_cast<std::size_t>(row)];
}

Selection seen_selection(const Dataset& data, const Partition& partition) {
  if (partition.held_out.empty())
    throw InputError(
        data.path(),
        "names no test_seen rows, so no sample of a seen class was kept from training");
  Selection selection{"seen"};
  for (std::int64_t r = 0; r < static_cast<std::int64_t>(data.classes().size()); ++r)
    if (!contains(partition.unseen, r)) selection.classes.push_back(r);
  selection.samples = partition.held_out;
  return selection;
}

Selection all_samples_of(const Dataset& data, const std::string& description,
                         const std::vector<std::int64_t>& classes) {
  if (classes.empty())
    throw InputError(data.path(), fmt::format("names no {} classes", description));
  Selection selection{description, classes};
  for (std::int64_t i = 0; i < data.samples(); ++i)
    if (contains(classes, label_of(data, i))) selection.samples.push_back(i);
  if (selection.samples.empty())
    throw InputError(data.path(), fmt::format("has no sample of any {} class", description));
  return selection;
}

std::vector<std::int64_t> merged(const std::vector<std::int64_t>& a,
                                 const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> both;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

void expect_rising(const std::string& what, const std::vector<std::int64_t>& rows,
                   std::int64_t end) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= end || (i > 0 && rows[i] <= rows[i - 1]))
      throw InputError("selection", fmt::format("{}, entry {} is {}; expected rising numbers from "
                                                "0 to {}",
                                                what, i, rows[i], end - 1));
}

/// Of each sample, the place of its class in the selection's list. Throws where a class or a sample
/// is not the data set's, or a sample's class does not compete.
Labels true_places(const Dataset& data, const Selection& selection) {
  const auto C = static_cast<std::int64_t>(data.classes().size());
  expect_rising("classes", selection.classes, C);
  expect_rising("samples", selection.samples, data.samples());
  if (selection.samples.empty()) throw InputError("selection", "has no samples");
  std::vector<std::int32_t> place(static_cast<std::size_t>(C), -1);
  for (std::size_t c = 0; c < selection.classes.size(); ++c)
    place[static_cast<std::size_t>(selection.classes[c])] = static_cast<std::int32_t>(c);
  Labels places;
  for (const std::int64_t i : selection.samples) {
    places.push_back(place[static_cast<std::size_t>(label_of(data, i))]);
    if (places.back() < 0)
      throw InputError("selection",
                       fmt::format("sample {} is of class {}, which is not among the classes", i,
                                   label_of(data, i)));
  }
  return places;
}

// Scoring

/// Samples whose rows follow one another in the data set: the scorer is told the first one's.
struct Block {
  Index first, count;
};

std::vector<Block> blocks_of(const std::vector<Index>& rows) {
  constexpr Index kMost = 64;
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool goes_on = i > 0 && rows[i] == rows[i - 1] + 1 && blocks.back().count < kMost;
    if (!goes_on) blocks.push_back({static_cast<Index>(i), 0});
    ++blocks.back().count;
  }
  return blocks;
}

/// Calls take(i, scores) for each sample i of a selection with its scores of the C classes, from
/// several threads. Of exceptions that of the first sample is thrown.
template <class Take>
void score_samples(const Dataset& data, const Selection& selection, const SampleScorer& scorer,
                   const Context& context, const Take& take) {
  const auto C = static_cast<Index>(selection.classes.size());
  const Samples samples =
      raw_samples(data.content().data, {selection.samples.begin(), selection.samples.end()},
                  execution_of(context));
  const std::vector<Block> blocks = blocks_of(samples.rows);
  std::atomic<std::size_t> failed{blocks.size()};
  std::atomic<bool> stopped{false};
  std::exception_ptr failure;
#pragma omp parallel num_threads(thread_count(samples.execution))
  {
    FeatureBlocks<float> features(samples);
    MatrixF scores;
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (omp_get_thread_num() == 0 && context.stop && context.stop()) stopped = true;
      if (stopped || b > failed) continue;
      const auto [first, count] = blocks[b];
      try {
        scores.resize(count, C);
        scorer.score(features.read(first, count).data(), count,
                     samples.rows[static_cast<std::size_t>(first)], scores.data());
        for (Index i = 0; i < count; ++i)
          take(static_cast<std::size_t>(first + i), scores.row(i).data());
      } catch (...) {
#pragma omp critical
        if (b < failed) {
          failed = b;
          failure = std::current_exception();
        }
      }
    }
  }
  expect_whole_features(data.content().data);
  if (failure) std::rethrow_exception(failure);
  if (stopped)
    throw InputError(Place{}, "interrupted before all samples were scored", "",
                     ErrorKind::kInterrupted);
}

/// Places of the best scores, best first; among equal ones the first. -1 fills up.
template <class Row>
void rank_scores(const float* scores, Index C, Row&& places) {
  for (Index c = 0; c < C; ++c) {
    Index at = kRanks;
    while (at > 0 && (places[at - 1] < 0 || scores[c] > scores[places[at - 1]])) --at;
    for (Index later = kRanks - 1; later > at; --later) places[later] = places[later - 1];
    if (at < kRanks) places[at] = static_cast<std::int32_t>(c);
  }
}

std::vector<ClassAccuracy> by_class(const Selection& selection, const Labels& truth,
                                    const std::vector<char>& correct) {
  std::vector<ClassAccuracy> counts;
  for (const std::int64_t r : selection.classes) counts.push_back({r, 0, 0});
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ClassAccuracy& count = counts[static_cast<std::size_t>(truth[i])];
    ++count.samples;
    count.correct += correct[i];
  }
  return counts;
}

/// The selection's rows and columns of Delta.
Matrix competing(const Matrix& Delta, const std::vector<std::int64_t>& classes) {
  const auto C = static_cast<Index>(classes.size());
  Matrix part(C, C);
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b)
      part(a, b) =
          Delta(classes[static_cast<std::size_t>(a)], classes[static_cast<std::size_t>(b)]);
  return part;
}

SeenUnseen public_accuracy(const bzscr::SeenUnseen& accuracy) {
  return {accuracy.seen, accuracy.unseen};
}

}  // namespace

Selection select(const Dataset& data, const Partition& partition, const std::string& which) {
  static_cast<void>(checked_partition(data, partition));
  if (which == "seen") return seen_selection(data, partition);
  if (which == "unseen") return all_samples_of(data, which, partition.unseen);
  if (which == "validation")
    return all_samples_of(data, which,
                          partition.validation_folds.empty() ? std::vector<std::int64_t>()
                                                             : partition.validation_folds.front());
  if (which != "all")
    throw InputError(Place{"", -1, -1, "", "classes"}, fmt::format("is '{}'", which),
                     "unseen, validation, seen or all");
  const Selection seen = seen_selection(data, partition);
  const Selection unseen = all_samples_of(data, "unseen", partition.unseen);
  return {which, merged(seen.classes, unseen.classes), merged(seen.samples, unseen.samples)};
}

Evaluation evaluate(const Dataset& data, const Selection& selection, const SampleScorer& scorer,
                    const Context& context) {
  const Labels truth = true_places(data, selection);
  const auto C = static_cast<Index>(selection.classes.size());
  Ranking ranking = Ranking::Constant(static_cast<Index>(truth.size()), kRanks, -1);
  score_samples(data, selection, scorer, context, [&](std::size_t i, const float* scores) {
    rank_scores(scores, C, ranking.row(static_cast<Index>(i)));
  });

  const Scores scores = score_predictions(
      truth, ranking, competing(data.content().divergence.Delta, selection.classes));
  Evaluation result;
  result.samples = scores.samples;
  result.classes_with_samples = scores.classes;
  result.error_rate = scores.error_rate;
  result.mean_delta = scores.mean_delta;
  result.per_class_top1 = scores.per_class_top1;
  result.top5 = scores.top5;
  std::vector<char> correct;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    result.best.push_back(ranking(static_cast<Index>(i), 0));
    correct.push_back(result.best.back() == truth[i]);
  }
  result.per_class = by_class(selection, truth, correct);
  return result;
}

JointEvaluation evaluate_jointly(const Dataset& data, const Partition& partition,
                                 const Selection& all, const SampleScorer& scorer, double penalty,
                                 const Context& context) {
  const Labels truth = true_places(data, all);
  const auto C = static_cast<Index>(all.classes.size());
  std::vector<bool> seen;
  for (const std::int64_t r : all.classes) seen.push_back(!contains(partition.unseen, r));
  if (std::count(seen.begin(), seen.end(), true) % C == 0)
    throw InputError("selection", "expected seen classes and unseen ones");
  std::vector<JointOutcome> outcomes(truth.size());
  score_samples(data, all, scorer, context, [&](std::size_t i, const float* scores) {
    const Vector exact = Eigen::Map<const VectorF>(scores, C).cast<double>();
    outcomes[i] = joint_outcome(truth[i], exact, seen);
  });

  const auto of_seen = std::count_if(outcomes.begin(), outcomes.end(),
                                     [](const JointOutcome& each) { return each.seen; });
  if (of_seen == 0 || of_seen == static_cast<std::ptrdiff_t>(outcomes.size()))
    throw InputError("selection", "expected samples of seen classes and of unseen ones");
  const SeenUnseenCurve curve = seen_unseen_curve(outcomes);
  JointEvaluation result;
  result.without = public_accuracy(accuracy_at(curve, -penalty));
  result.with = public_accuracy(accuracy_at(curve, 0));
  result.among_unseen = curve.back().accuracy.unseen;
  result.ausuc = area_under(curve);
  std::vector<char> correct;
  for (const JointOutcome& each : outcomes) correct.push_back(each.right(0));
  result.per_class = by_class(all, truth, correct);
  return result;
}

}  // namespace bzscr::train
