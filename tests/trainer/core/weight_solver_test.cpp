#include "core/weight_solver.h"

#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr {
namespace {

using test::random_matrix;

/// Weak models, and the objective and slopes of their weights by plain loops.
struct Weighing {
  Weighing(const test::Shape& shape, Index K, double nu)
      : random(shape),
        U(random_matrix(shape.m, K, 3).colwise().normalized()),
        V(random_matrix(shape.p, K, 4).colwise().normalized()),
        s(test::random_sample_weights(shape.N)),
        regularisation(nu * static_cast<double>(shape.N)) {}

  Matrix scores(const Vector& w) const {
    return test::plain_scores(random.problem, U * w.asDiagonal() * V.transpose());
  }
  double objective(const Vector& w) const {
    return s.dot(test::plain_losses(random.problem, scores(w), kBeta)) + regularisation * w.sum();
  }
  Vector gradient(const Vector& w) const {
    const Matrix G = test::plain_negative_gradient(
        random.problem, test::plain_dual_weights(random.problem, scores(w), s, kBeta));
    Vector gradient(w.size());
    for (Index j = 0; j < w.size(); ++j) gradient[j] = regularisation - U.col(j).dot(G * V.col(j));
    return gradient;
  }
  template <class Scalar>
  Weights solve(const Vector& start) const {
    const Sweep<Scalar> sweep(random.problem, kBeta);
    const auto P = sweep.project(U);
    return solve_weights<Scalar>(sweep, P, random.problem.Phi * V, start, s, regularisation);
  }

  static constexpr double kBeta = 0.4;
  test::RandomProblem random;
  Matrix U, V;
  Vector s;
  double regularisation;
};

const test::Shape kShapes[] = {{60, 5, 3, 6, 4}, {20, 2, 6, 3, 0}, {520, 4, 3, 17, 1}};

TEST_CASE_TEMPLATE(
    "the solution satisfies the optimality conditions: the gradient is not negative, and is zero "
    "for weights above zero",
    Scalar, float, double) {
  const double tolerance = sizeof(Scalar) == 4 ? 5e-2 : 1e-4;  // of the regularisation weight
  for (const test::Shape& shape : kShapes)
    for (const Index K : {1, 4, 15})
      for (const double nu : {0.003, 0.1}) {
        CAPTURE(shape.N);
        CAPTURE(K);
        CAPTURE(nu);
        const Weighing weighing(shape, K, nu);
        const Weights solved = weighing.solve<Scalar>(Vector::Zero(K));
        const Vector gradient = weighing.gradient(solved.w);
        CHECK(solved.w.minCoeff() >= 0);
        CHECK(gradient.minCoeff() >= -tolerance * weighing.regularisation);
        for (Index j = 0; j < K; ++j)
          if (solved.w[j] > 0) CHECK(std::fabs(gradient[j]) < tolerance * weighing.regularisation);
        CHECK(solved.objective == doctest::Approx(weighing.objective(solved.w)).epsilon(1e-5));
        CHECK(solved.evaluations >= 1);
      }
}

TEST_CASE_TEMPLATE("the objective is never above that of the start, wherever the start", Scalar,
                   float, double) {
  for (const test::Shape& shape : kShapes)
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Weighing weighing(shape, 6, 0.02);
      const Vector start =
          random_matrix(6, 1, seed, std::pow(10, static_cast<double>(seed) - 1)).col(0).cwiseMax(0);
      CHECK(weighing.objective(weighing.solve<Scalar>(start).w) <=
            weighing.objective(start) * (1 + 1e-6));
    }
}

TEST_CASE("every start leads to the same objective") {
  const Weighing weighing({60, 5, 3, 6, 4}, 6, 0.02);
  const double expected = weighing.solve<double>(Vector::Zero(6)).objective;
  for (unsigned seed = 0; seed < 5; ++seed)
    CHECK(weighing.solve<double>(random_matrix(6, 1, seed).col(0).cwiseAbs()).objective ==
          doctest::Approx(expected).epsilon(1e-8));
}

TEST_CASE(
    "with a regularisation weight above the gradient of every weak model, all weights are zero") {
  const Weighing weighing({60, 5, 3, 6, 4}, 6, 1e3);
  CHECK(weighing.solve<double>(Vector::Ones(6)).w == Vector::Zero(6));
}

}  // namespace
}  // namespace bzscr
