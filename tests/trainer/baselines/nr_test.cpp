// Nonlinear regression against its objective as plain loops: where it ends no direction leads down.
#include "plain_loops.h"
#include "trainer/core/random_problem.h"

#include "baselines/nr.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr::test {
namespace {

Vector image_of(const Network& net, const Vector& x) {
  Vector hidden(net.b1.size());
  for (Index j = 0; j < hidden.size(); ++j) {
    double sum = net.b1[j];
    for (Index i = 0; i < x.size(); ++i) sum += net.W1(j, i) * x[i];
    hidden[j] = std::tanh(sum);
  }
  return net.W2 * hidden + net.b2;
}

double plain_objective_of(const Problem& problem, const Network& net, double lambda) {
  const Matrix X = plain_features(problem.X);
  double loss = 0;
  for (Index i = 0; i < X.rows(); ++i)
    loss += (image_of(net, X.row(i).transpose()) -
             problem.Phi.row(problem.y[static_cast<std::size_t>(i)]).transpose())
                .squaredNorm() /
            2;
  return loss / static_cast<double>(X.rows()) + lambda / 2 *
                                                    (net.W1.squaredNorm() + net.b1.squaredNorm() +
                                                     net.W2.squaredNorm() + net.b2.squaredNorm());
}

TEST_CASE("training ends where the gradient of the objective is zero in every parameter") {
  const RandomProblem random({60, 4, 3, 5, 2});
  NrConfig config;
  config.lambda = 1e-2;
  config.hidden = 3;
  config.max_evaluations = 2000;
  Network net = nonlinear_regression(random.problem, config);
  double steepest = 0;
  const auto look = [&](double& parameter) {
    const double h = 1e-5, at = parameter;
    parameter = at + h;
    const double above = plain_objective_of(random.problem, net, config.lambda);
    parameter = at - h;
    const double below = plain_objective_of(random.problem, net, config.lambda);
    parameter = at;
    steepest = std::max(steepest, std::fabs(above - below) / (2 * h));
  };
  for (Index i = 0; i < net.W1.size(); ++i) look(net.W1.data()[i]);
  for (Index i = 0; i < net.W2.size(); ++i) look(net.W2.data()[i]);
  for (double& b : net.b1) look(b);
  for (double& b : net.b2) look(b);
  CHECK(steepest <= 2e-3);
  Network zero = net;
  zero.W1.setZero();
  zero.W2.setZero();
  zero.b1.setZero();
  zero.b2.setZero();
  CHECK(plain_objective_of(random.problem, net, config.lambda) <
        plain_objective_of(random.problem, zero, config.lambda));
}

TEST_CASE(
    "the nearest embedding has the highest score, and score differences are half the differences "
    "of squared distances") {
  for (const Shape& shape : {Shape{1, 1, 1, 2, 0}, {17, 4, 2, 16, 3}, {513, 4, 3, 5, 3}}) {
    const RandomProblem random(shape);
    NrConfig config;
    config.hidden = 7;
    config.max_evaluations = 5;
    const Network net = nonlinear_regression(random.problem, config);
    const MatrixF F = scores(random.problem.X, net, random.problem.Phi);
    const Matrix X = plain_features(random.problem.X);
    for (Index i = 0; i < X.rows(); i += 7) {
      const Vector image = image_of(net, X.row(i).transpose());
      const auto distance = [&](Index r) {
        return (image - random.problem.Phi.row(r).transpose()).squaredNorm();
      };
      for (Index r = 1; r < shape.seen + shape.targets; ++r) {
        const double difference = static_cast<double>(F(i, r)) - static_cast<double>(F(i, 0));
        CHECK(difference ==
              doctest::Approx((distance(0) - distance(r)) / 2).epsilon(1e-4).scale(1));
      }
    }
  }
}

TEST_CASE("the network is bitwise equal for any number of threads, and differs for another seed") {
  RandomProblem random({1100, 7, 4, 31, 5});
  NrConfig config;
  config.max_evaluations = 10;
  config.hidden = 9;
  random.problem.X.execution.threads = 1;
  const Network one = nonlinear_regression(random.problem, config);
  random.problem.X.execution.threads = 3;
  const Network three = nonlinear_regression(random.problem, config);
  CHECK((one.W1 - three.W1).isZero(0));
  CHECK((one.W2 - three.W2).isZero(0));
  config.seed = 2;
  CHECK_FALSE((nonlinear_regression(random.problem, config).W1 - one.W1).isZero(1e-3));
}

}  // namespace
}  // namespace bzscr::test
