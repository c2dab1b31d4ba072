#include "tuning/calibration.h"

#include "geometry/divergence.h"
#include "trainer/core/random_problem.h"
#include "trainer/geometry/memory_dataset.h"
#include "tuning/folds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

namespace bzscr {
namespace {

/// Unseen: 9, 10 and 11. Samples 0, 1 and 100 are test samples. Of the classes that are not held out
/// with seed 1, one has a single sample to train on, one two and one four.
struct Example : test::MemoryDataset {
  Example() : MemoryDataset(120, 6, 5, 12, {9, 10, 11}), Delta(cosine_divergence(data.embeddings)) {
    const std::vector<Index> seen = validation_splits(data, data.partition, 1, 1).front().seen;
    const auto few = [&](std::size_t place, int samples) {
      int kept = 0;
      for (std::size_t i = 2; i < 120; ++i)
        if (i != 100 && data.labels[i] == seen[place] && ++kept > samples)
          data.labels[i] = static_cast<std::int32_t>(seen.back());
    };
    few(1, 1);
    few(2, 2);
    few(3, 4);
    data.partition.held_out = {0, 1, 100};
  }
  CalibrationFold fold(std::uint64_t seed = 1) const {
    const ClassSplit classes = validation_splits(data, data.partition, 1, 1).front();
    return calibration_fold(data, data.partition, classes, seed, [&](const Partition& without) {
      return split_problem(data, without, Delta, classes, {});
    });
  }
  Matrix Delta;
};

TEST_CASE(
    "no sample is both trained on and held out, and test samples and samples of unseen classes are "
    "neither") {
  const Example example;
  const CalibrationFold fold = example.fold();
  std::set<Index> rows;
  std::map<std::int32_t, Index> trained, held_out;
  for (const Index row : fold.split.problem.X.rows) {
    CHECK(rows.insert(row).second);
    ++trained[example.data.labels[static_cast<std::size_t>(row)]];
  }
  CHECK(std::is_sorted(fold.X.rows.begin(), fold.X.rows.end()));
  for (const Index row : fold.X.rows) {
    CHECK(rows.insert(row).second);
    ++held_out[example.data.labels[static_cast<std::size_t>(row)]];
  }
  for (const Index row : {0, 1, 100}) CHECK(rows.count(row) == 0);
  for (const std::int32_t c : {9, 10, 11}) CHECK(trained.count(c) + held_out.count(c) == 0);
  CHECK(rows.size() == 120 - 3 - 30);
  for (const Index c : fold.split.classes.targets)
    CHECK(trained.count(static_cast<std::int32_t>(c)) == 0);
  std::map<Index, Index> of_size;
  for (const Index c : fold.split.classes.seen) {
    const auto name = static_cast<std::int32_t>(c);
    const Index all = trained[name] + held_out[name];
    ++of_size[all];
    CHECK(trained[name] > 0);
    CHECK(held_out[name] == (all == 1 ? 0 : std::max<Index>(1, all / 5)));
  }
  for (const Index few : {1, 2, 4}) CHECK(of_size[few] == 1);
}

TEST_CASE("the same seed holds out the same samples, and another seed holds out others") {
  const Example example;
  CHECK(example.fold(3).X.rows == example.fold(3).X.rows);
  CHECK(example.fold(3).X.rows != example.fold(4).X.rows);
}

TEST_CASE("held-out samples are scored by the formula among all classes of the fold") {
  const Example example;
  const CalibrationFold fold = example.fold();
  const Problem& problem = fold.split.problem;
  const Ensemble ensemble = {test::random_matrix(6, 2, 5),
                             test::random_matrix(problem.Phi.cols(), 2, 6),
                             Vector::Constant(2, 0.5)};
  const std::vector<JointOutcome> outcomes = held_out_outcomes(fold, ensemble);
  REQUIRE(outcomes.size() == fold.X.rows.size());
  const Matrix W = ensemble.U * ensemble.w.asDiagonal() * ensemble.V.transpose();
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    const Index row = fold.X.rows[n];
    const Vector scores = problem.Phi * W.transpose() *
                          example.features.row(row).transpose().cast<double>().normalized();
    const double lead =
        scores.head(problem.seen).maxCoeff() - scores.tail(problem.targets()).maxCoeff();
    CHECK(outcomes[n].lead == doctest::Approx(lead).epsilon(1e-4));
    const auto& classes = outcomes[n].seen ? fold.split.classes.seen : fold.split.classes.targets;
    CHECK(std::binary_search(classes.begin(), classes.end(),
                             Index{example.data.labels[static_cast<std::size_t>(row)]}));
    Index best = 0;
    if (outcomes[n].seen)
      scores.head(problem.seen).maxCoeff(&best);
    else
      scores.tail(problem.targets()).maxCoeff(&best);
    CHECK(outcomes[n].leads_kind == (classes[static_cast<std::size_t>(best)] ==
                                     example.data.labels[static_cast<std::size_t>(row)]));
  }
}

TEST_CASE(
    "a fold without held-out samples of both kinds is ignored, and without any other fold the "
    "penalty is 0") {
  const std::vector<JointOutcome> both = {{0, true, true, 4}, {1, false, true, 2}},
                                  one = {{0, true, true, 9}};
  CHECK(choose_penalty({both}).penalty == 3);
  CHECK(choose_penalty({one, both}).penalty == 3);
  CHECK(choose_penalty({one, {}}).penalty == 0);
  CHECK(choose_penalty({one, {}}).harmonic == 0);
}

TEST_CASE("classes can be held out of four seen classes with samples, but not of three") {
  const test::MemoryDataset few(30, 3, 3, 5, {3, 4}), enough(30, 3, 3, 6, {4, 5});
  CHECK_FALSE(can_hold_out(few.data, few.data.partition));
  CHECK(can_hold_out(enough.data, enough.data.partition));
}

}  // namespace
}  // namespace bzscr
