#include "core/losses.h"

#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr {
namespace {

using test::RandomProblem;

/// A row of scores as a sweep lays it out.
template <class Scalar>
std::vector<Scalar> laid_out(const LossTables<Scalar>& tables, const Eigen::RowVectorXd& scores) {
  const RowMatrix<Scalar> column = tables.lay_out(scores.transpose());
  return std::vector<Scalar>(column.data(), column.data() + column.size());
}

TEST_CASE_TEMPLATE("pick() inverts lay_out(), which pads with zeros", Scalar, float, double) {
  for (const test::Shape& shape : test::awkward_shapes()) {
    const RandomProblem random(shape);
    const LossTables<Scalar> tables(random.problem, 0.4);
    const Matrix Phi = random.problem.Phi.cast<float>().cast<double>();
    const RowMatrix<Scalar> out = tables.lay_out(Phi);
    CHECK(out.rows() == tables.columns);
    CHECK(tables.columns - tables.first_target >= shape.targets);
    CHECK(tables.pick(out.template cast<double>()) == Phi);
    CHECK((out.middleRows(tables.seen, tables.first_target - tables.seen).array() == 0).all());
    CHECK(
        (out.bottomRows(tables.columns - tables.first_target - shape.targets).array() == 0).all());
  }
}

TEST_CASE("rows of float have a length that is a multiple of the vector length") {
  for (const Index seen : {2, 15, 16, 17, 33}) {
    const RandomProblem random({3, 2, 2, seen, 5});
    const LossTables<float> tables(random.problem, 0.4);
    CHECK(tables.first_target % 16 == 0);
    CHECK(tables.first_target >= seen);
    CHECK(tables.first_target < seen + 16);
    CHECK(tables.columns == tables.first_target + 16);
  }
}

TEST_CASE_TEMPLATE(
    "the gradient in the scores is Q of plain loops, minus the sum of Q over seen classes for the "
    "true class",
    Scalar, float, double) {
  const double tolerance = sizeof(Scalar) == 4 ? 1e-5 : 1e-13;
  for (const test::Shape& shape : test::awkward_shapes()) {
    if (shape.N > 40) continue;
    const RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Matrix F = test::random_matrix(shape.N, problem.classes(), 3, 2);
    const Vector s = test::random_sample_weights(shape.N),
                 losses = test::plain_losses(problem, F, 0.7);
    const Matrix Q = test::plain_dual_weights(problem, F, s, 0.7);
    const LossTables<Scalar> tables(problem, 0.7);
    for (Index i = 0; i < shape.N; ++i) {
      CAPTURE(i);
      const Index y = problem.y[static_cast<std::size_t>(i)];
      std::vector<Scalar> row = laid_out(tables, F.row(i));
      const SampleLoss loss = sample_loss(tables, y, row.data());
      CHECK(composite(tables, loss) == doctest::Approx(losses[i]).epsilon(tolerance));
      loss_gradient(tables, y, loss, s[i], row.data());
      const Matrix gradient = tables.pick(
          Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>(row.data(), tables.columns)
              .template cast<double>());
      double seen_sum = 0;
      for (Index r = 0; r < problem.seen; ++r) seen_sum += Q(i, r);
      for (Index r = 0; r < problem.classes(); ++r) {
        const double expected = Q(i, r) - (r == y ? seen_sum : 0);
        CHECK(std::fabs(gradient(r, 0) - expected) < tolerance * std::max(1.0, seen_sum));
      }
    }
  }
}

TEST_CASE("a constant added to all scores does not change loss and gradient") {
  const RandomProblem random({7, 3, 4, 5, 4});
  const LossTables<double> tables(random.problem, 0.7);
  const Matrix F = test::random_matrix(7, 9, 3);
  for (Index i = 0; i < 7; ++i) {
    const Index y = random.problem.y[static_cast<std::size_t>(i)];
    std::vector<double> row = laid_out(tables, F.row(i)),
                        moved = laid_out(tables, F.row(i).array() + 3.5);
    const SampleLoss a = sample_loss(tables, y, row.data()),
                     b = sample_loss(tables, y, moved.data());
    CHECK(composite(tables, a) == doctest::Approx(composite(tables, b)).epsilon(1e-12));
    CHECK(a.sum_sigmoid == doctest::Approx(b.sum_sigmoid).epsilon(1e-12));
    CHECK(a.sigmoid_cov == doctest::Approx(b.sigmoid_cov).epsilon(1e-12));
  }
}

TEST_CASE_TEMPLATE(
    "without a covariance (no target class, or one) the correlation is the constant ln 2", Scalar,
    float, double) {
  for (const Index targets : {0, 1}) {
    const RandomProblem random({7, 3, 4, 5, targets});
    const LossTables<Scalar> tables(random.problem, 0.7);
    std::vector<Scalar> row = laid_out(tables, test::random_matrix(1, 5 + targets, 3).row(0));
    const SampleLoss loss = sample_loss(tables, 0, row.data());
    CHECK(loss.correlation == doctest::Approx(std::log(2.0)).epsilon(1e-15));
    CHECK(loss.sigmoid_cov == 0.5);
    loss_gradient(tables, 0, loss, 1, row.data());
    if (targets == 1) CHECK(row.back() == 0);
  }
}

TEST_CASE_TEMPLATE("extreme scores give finite losses and gradients", Scalar, float, double) {
  const RandomProblem random({7, 3, 4, 5, 4});
  const LossTables<Scalar> tables(random.problem, 0.7);
  for (const double size : {1e4, 1e15}) {
    std::vector<Scalar> row = laid_out(tables, test::random_matrix(1, 9, 3, size).row(0));
    const SampleLoss loss = sample_loss(tables, 2, row.data());
    CHECK(std::isfinite(composite(tables, loss)));
    loss_gradient(tables, 2, loss, 1, row.data());
    for (const Scalar gradient : row) CHECK(std::isfinite(gradient));
  }
}

}  // namespace
}  // namespace bzscr
