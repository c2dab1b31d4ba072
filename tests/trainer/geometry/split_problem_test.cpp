#include "geometry/split_problem.h"

#include "geometry/divergence.h"
#include "memory_dataset.h"
#include "plain_loops.h"
#include "trainer/core/random_problem.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

using test::MemoryDataset;

constexpr Index N = 60, m = 5, d = 4, C = 8;

/// Unseen: 2 and 7. Held out of training: some rows of seen classes.
struct Example : MemoryDataset {
  Example() : MemoryDataset(N, m, d, C, {2, 7}) {
    data.partition.held_out = {8, 9, 33, 59};
    Delta = test::random_matrix(C, C, 9).cwiseAbs();
    Delta.diagonal().setZero();
  }
  bool is_test(Index row) const {
    return std::binary_search(data.partition.held_out.begin(), data.partition.held_out.end(), row);
  }
  Index label(Index row) const { return data.labels[static_cast<std::size_t>(row)]; }
  Matrix Delta;
};

const ClassSplit kAll = {{0, 1, 3, 4, 5, 6}, {2, 7}};
const ClassSplit kHeldOut = {{0, 1, 4, 6}, {3, 5}};

TEST_CASE("seen classes are all classes that are not unseen") {
  const Example example;
  CHECK(seen_classes(example.data, example.data.partition) == kAll.seen);
  const MemoryDataset none_unseen(N, m, d, 3, {});
  CHECK(seen_classes(none_unseen.data, none_unseen.data.partition) == std::vector<Index>{0, 1, 2});
}

TEST_CASE(
    "the training samples are exactly those of seen classes that are not held out, labelled by the "
    "index of their class") {
  const Example example;
  for (const ClassSplit& classes : {kAll, kHeldOut}) {
    const SplitProblem split =
        split_problem(example.data, example.data.partition, example.Delta, classes, {});
    const Samples& X = split.problem.X;
    std::vector<Index> expected;
    for (Index row = 0; row < N; ++row)
      if (!example.is_test(row) &&
          std::binary_search(classes.seen.begin(), classes.seen.end(), example.label(row)))
        expected.push_back(row);
    CHECK(X.rows == expected);
    REQUIRE(split.problem.y.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(classes.seen[static_cast<std::size_t>(split.problem.y[i])] ==
            example.label(expected[i]));
    CHECK(X.features.data == example.data.features.data);
  }
}

TEST_CASE("seen classes come first, then the targets, in Phi and in Delta") {
  const Example example;
  for (const ClassSplit& classes : {kAll, kHeldOut}) {
    const SplitProblem split =
        split_problem(example.data, example.data.partition, example.Delta, classes, {});
    std::vector<Index> order = classes.seen;
    order.insert(order.end(), classes.targets.begin(), classes.targets.end());
    REQUIRE(split.problem.seen == static_cast<Index>(classes.seen.size()));
    REQUIRE(split.problem.classes() == static_cast<Index>(order.size()));
    for (Index y = 0; y < split.problem.seen; ++y)
      for (Index r = 0; r < split.problem.classes(); ++r)
        CHECK(split.problem.Delta(y, r) == example.Delta(order[static_cast<std::size_t>(y)],
                                                         order[static_cast<std::size_t>(r)]));

    // Differences of embeddings, transformed here by plain arithmetic.
    Vector centre = Vector::Zero(d);
    for (const Index c : classes.seen)
      centre +=
          example.data.embeddings.row(c).transpose() / static_cast<double>(classes.seen.size());
    const auto phi = [&](Index r) {
      const Vector moved =
          example.data.embeddings.row(order[static_cast<std::size_t>(r)]).transpose() - centre;
      return Vector(moved / moved.norm());
    };
    for (Index r = 1; r < split.problem.classes(); ++r)
      CHECK((split.basis * (split.problem.Phi.row(r) - split.problem.Phi.row(0)).transpose() -
             (phi(r) - phi(0)))
                .norm() < 1e-6);
  }
}

TEST_CASE("samples have unit length with unit scaling, and are unchanged without scaling") {
  const Example example;
  const SplitProblem unit = split_problem(example.data, example.data.partition, example.Delta, kAll,
                                          {FeatureScaling::kUnit, EmbeddingScaling::kUnit});
  const Matrix X = test::plain_features(unit.problem.X);
  CHECK((X.rowwise().norm().array() - 1).abs().maxCoeff() < 1e-12);
  const SplitProblem raw = split_problem(example.data, example.data.partition, example.Delta, kAll,
                                         {FeatureScaling::kNone, EmbeddingScaling::kNone});
  CHECK(raw.problem.X.scale == Vector::Ones(raw.problem.samples()));
}

TEST_CASE("validation samples are only those of held-out classes, labelled by their rows of Phi") {
  const Example example;
  const SplitProblem split =
      split_problem(example.data, example.data.partition, example.Delta, kHeldOut, {});
  const EvaluationSet validation =
      unseen_evaluation_set(example.data, example.data.partition, split);
  std::vector<Index> expected;
  for (Index row = 0; row < N; ++row)
    if (!example.is_test(row) && (example.label(row) == 3 || example.label(row) == 5))
      expected.push_back(row);
  CHECK(validation.X.rows == expected);
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(kHeldOut.targets[static_cast<std::size_t>(validation.y[i])] ==
          example.label(expected[i]));
  CHECK(validation.Phi == split.problem.Phi.bottomRows(2));
  for (const Index row : validation.X.rows)
    CHECK(std::count(split.problem.X.rows.begin(), split.problem.X.rows.end(), row) == 0);
}

TEST_CASE("a problem without target classes has only seen classes") {
  const MemoryDataset all_seen(N, m, d, C, {});
  const SplitProblem split =
      split_problem(all_seen.data, all_seen.data.partition, zero_one_divergence(C),
                    {seen_classes(all_seen.data, all_seen.data.partition), {}}, {});
  CHECK(split.problem.targets() == 0);
  CHECK(split.problem.samples() == N);
}

TEST_CASE(
    "a lifted ensemble has unit vectors, and scores that differ from the problem's by a constant "
    "per sample") {
  for (const Index wide : {3, 20}) {
    CAPTURE(wide);
    MemoryDataset memory(N, m, wide, C, {2, 7});
    const SplitProblem split =
        split_problem(memory.data, memory.data.partition, zero_one_divergence(C), kAll, {});
    const Index p = split.problem.Phi.cols();
    CHECK(p == std::min<Index>(wide, C - 1));
    const Ensemble ensemble{test::random_matrix(m, 4, 3).colwise().normalized(),
                            test::random_matrix(p, 4, 4).colwise().normalized(),
                            (Vector(4) << 3, 2, 1, 0.5).finished()};
    const Ensemble lifted = split.lift(ensemble);
    REQUIRE(lifted.V.rows() == wide);
    CHECK((lifted.V.colwise().norm().array() - 1).abs().maxCoeff() < 1e-12);
    CHECK(lifted.U == ensemble.U);
    CHECK(lifted.w == ensemble.w);

    Matrix Phi =
        transform_embeddings(split.transform, memory.data.embeddings, memory.data.class_names);
    std::vector<Index> order = kAll.seen;
    order.insert(order.end(), kAll.targets.begin(), kAll.targets.end());
    const Matrix X = test::plain_features(split.problem.X);
    const Matrix small =
        X * ensemble.U * ensemble.w.asDiagonal() * (split.problem.Phi * ensemble.V).transpose();
    const Matrix full = X * lifted.U * lifted.w.asDiagonal() *
                        (Matrix(Phi(order, Eigen::all)) * lifted.V).transpose();
    for (Index r = 1; r < C; ++r)
      CHECK(((small.col(r) - small.col(0)) - (full.col(r) - full.col(0))).cwiseAbs().maxCoeff() <
            1e-12);

    // So losses, which only see differences, are those of the full space: the optimum is too.
    Problem unreduced = split.problem;
    unreduced.Phi = Phi(order, Eigen::all);
    const Matrix W = ensemble.U * ensemble.w.asDiagonal() * ensemble.V.transpose();
    const Matrix lifted_W = lifted.U * lifted.w.asDiagonal() * lifted.V.transpose();
    const Vector s = Vector::Ones(split.problem.samples());
    CHECK(test::plain_objective(split.problem, W, s, 0.4, 2) ==
          doctest::Approx(test::plain_objective(unreduced, lifted_W, s, 0.4, 2)).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace bzscr
