#include "core/metrics.h"

#include <doctest/doctest.h>

namespace bzscr {
namespace {

// Four classes, the last without samples. Class 0: 2 of 4 right; 1: 1 of 1; 2: 0 of 1.
const Labels kTruth = {0, 0, 0, 0, 1, 2};
const Labels kBest = {0, 0, 1, 3, 1, 0};

Matrix example_delta() {
  Matrix Delta(4, 4);
  Delta << 0.0, 0.5, 0.25, 1.0,  //
      0.5, 0.0, 0.75, 0.5,       //
      0.125, 0.75, 0.0, 0.5,     // not symmetric: row is the true class
      1.0, 0.5, 0.5, 0.0;
  return Delta;
}

TEST_CASE("the error rate counts samples, whatever their class") {
  CHECK(error_rate(kTruth, kBest) == doctest::Approx(3.0 / 6.0));
  CHECK(error_rate({1}, {1}) == 0.0);
  CHECK(error_rate({1}, {0}) == 1.0);
}

TEST_CASE("mean Delta weighs each error by how far off it is, seen from the true class") {
  CHECK(mean_delta(kTruth, kBest, example_delta()) == doctest::Approx((0.5 + 1.0 + 0.125) / 6.0));
}

TEST_CASE("mean Delta with 0-1 divergences is the error rate") {
  const Matrix zero_one = Matrix::Ones(4, 4) - Matrix::Identity(4, 4);
  CHECK(mean_delta(kTruth, kBest, zero_one) == doctest::Approx(error_rate(kTruth, kBest)));
}

TEST_CASE("a confusion matrix counts each sample once, in the row of its class, and its diagonal is what was right") {
  RowMatrix<Index> expected(4, 4);
  expected << 2, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0;
  CHECK(confusion_matrix(kTruth, kBest, 4) == expected);
  CHECK(confusion_matrix({}, {}, 2) == RowMatrix<Index>(RowMatrix<Index>::Zero(2, 2)));
}

TEST_CASE("per-class accuracy weighs classes alike and leaves out those without samples") {
  const std::vector<ClassCount> counts = count_by_class(kTruth, kBest, 4);
  REQUIRE(counts.size() == 4);
  CHECK(counts[0].samples == 4);
  CHECK(counts[0].correct == 2);
  CHECK(counts[2].samples == 1);
  CHECK(counts[2].correct == 0);
  CHECK(counts[3].samples == 0);
  CHECK(per_class_accuracy(counts) == doctest::Approx((0.5 + 1.0 + 0.0) / 3.0));
}

TEST_CASE("top-k finds the true class at any of the first k ranks, and nowhere in the filling") {
  Ranking ranking(3, 5);
  ranking << 0, 1, 2, -1, -1,  //
      1, 2, 0, -1, -1,         //
      1, 0, -1, -1, -1;
  const Labels truth = {0, 0, 2};
  CHECK(top_k_accuracy(truth, ranking, 1) == doctest::Approx(1.0 / 3.0));
  CHECK(top_k_accuracy(truth, ranking, 2) == doctest::Approx(1.0 / 3.0));
  CHECK(top_k_accuracy(truth, ranking, 3) == doctest::Approx(2.0 / 3.0));
  CHECK(top_k_accuracy(truth, ranking, 5) == doctest::Approx(2.0 / 3.0));
}

TEST_CASE("the scores together are the scores one by one") {
  Ranking ranking = Ranking::Constant(6, 5, -1);
  for (Index i = 0; i < 6; ++i) ranking(i, 0) = kBest[static_cast<std::size_t>(i)];
  ranking(5, 4) = 2;
  const Scores scores = score_predictions(kTruth, ranking, example_delta());
  CHECK(scores.samples == 6);
  CHECK(scores.classes == 3);
  CHECK(scores.error_rate == doctest::Approx(0.5));
  CHECK(scores.mean_delta == doctest::Approx(1.625 / 6.0));
  CHECK(scores.per_class_top1 == doctest::Approx(0.5));
  CHECK(scores.top5 == doctest::Approx(4.0 / 6.0));
}

}  // namespace
}  // namespace bzscr
