#include "core/feature_transform.h"

#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr {
namespace {

Samples raw(const test::RandomProblem& random) {
  Samples X = random.problem.X;
  X.scale.setOnes();
  return X;
}

TEST_CASE("standardised columns have mean 0 and deviation 1, except those that are constant") {
  for (const int threads : {1, 3}) {
    test::RandomProblem random({600, 7, 3, 6, 2});
    random.file.col(2).setConstant(1e6f);
    random.file.col(4).array() = 1e5f + 3 * random.file.col(4).array();
    Samples X = raw(random);
    X.execution.threads = threads;
    X.columns = std::make_shared<ColumnScaling>(column_scaling(X));
    const Matrix standard = test::plain_features(X);
    for (Index j = 0; j < 7; ++j) {
      CAPTURE(j);
      const double rounding = j == 4 ? 1e-2 : 1e-5;  // of float32, at 1e5 beside a deviation of 3
      CHECK(std::abs(standard.col(j).mean()) < rounding);
      const double deviation = standard.col(j).norm() / std::sqrt(600.0);
      if (j == 2)
        CHECK(deviation == 0);
      else
        CHECK(std::abs(deviation - 1) < rounding);
    }
  }
}

TEST_CASE("inverse lengths give standardised samples unit length, and samples of zeros none") {
  const test::RandomProblem random({300, 5, 3, 6, 2});
  Samples X = raw(random);
  ColumnScaling columns = column_scaling(X);
  columns.mean = random.file.row(X.rows[7]).transpose();  // that sample becomes zero
  X.columns = std::make_shared<ColumnScaling>(columns);
  X.scale = inverse_lengths(X);
  const Vector lengths = test::plain_features(X).rowwise().norm();
  for (Index i = 0; i < X.size(); ++i) {
    CAPTURE(i);
    CHECK(lengths[i] == doctest::Approx(i == 7 ? 0 : 1).epsilon(1e-5));
  }
}

TEST_CASE("the mean of the scaled samples is that of plain loops, with any number of threads") {
  const test::RandomProblem random({700, 5, 3, 6, 2});
  Samples X = random.problem.X;
  const Vector expected = test::plain_features(X).colwise().mean().transpose();
  X.execution.threads = 1;
  const Vector one = mean_sample(X);
  CHECK((one - expected).norm() < 1e-6);
  X.execution.threads = 3;
  CHECK(mean_sample(X) == one);
}

}  // namespace
}  // namespace bzscr
