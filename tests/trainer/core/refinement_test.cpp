#include "core/refinement.h"

#include "decompositions.h"
#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr {
namespace {

using test::random_matrix;

Matrix W_of(const Ensemble& ensemble) {
  return ensemble.U * ensemble.w.asDiagonal() * ensemble.V.transpose();
}

double off_identity(const Matrix& M) {
  return M.cols() == 0
             ? 0
             : (M.transpose() * M - Matrix::Identity(M.cols(), M.cols())).cwiseAbs().maxCoeff();
}

double refined_objective(const Problem& problem, const Factors& at, const Vector& s, double beta,
                         double regularisation) {
  const Matrix F = test::plain_scores(problem, at.A * at.B.transpose());
  return s.dot(test::plain_losses(problem, F, beta)) +
         0.5 * regularisation * (at.A.squaredNorm() + at.B.squaredNorm());
}

TEST_CASE(
    "factors of an ensemble have the product W, and half of their squared norms is the sum of "
    "weights") {
  const Ensemble ensemble{random_matrix(7, 4, 1).colwise().normalized(),
                          random_matrix(3, 4, 2).colwise().normalized(),
                          (Vector(4) << 3, 0, 0.5, 1).finished()};
  const Factors at = factors(ensemble);
  CHECK((at.A * at.B.transpose() - W_of(ensemble)).norm() < 1e-14);
  CHECK(0.5 * (at.A.squaredNorm() + at.B.squaredNorm()) == doctest::Approx(4.5).epsilon(1e-14));
}

TEST_CASE_TEMPLATE("refinement never increases the objective, and returns its value", Scalar, float,
                   double) {
  const double tolerance = sizeof(Scalar) == 4 ? 1e-5 : 1e-12;
  for (const test::Shape& shape :
       {test::Shape{60, 5, 3, 6, 4}, test::Shape{20, 2, 6, 3, 0}, test::Shape{520, 4, 3, 4, 1}}) {
    const test::RandomProblem random(shape);
    const Vector s = test::random_sample_weights(shape.N);
    const double regularisation = 0.02 * static_cast<double>(shape.N);
    const Sweep<Scalar> sweep(random.problem, 0.4);
    for (const Index k : {1, 3, 8}) {
      CAPTURE(k);
      const Factors start{random_matrix(shape.m, k, 3, 0.5), random_matrix(shape.p, k, 4, 0.5)};
      double before = refined_objective(random.problem, start, s, 0.4, regularisation);
      for (const Index limit : {1, 2, 3, 5, 10, 20, 40, 80}) {
        Factors at = start;
        LbfgsOptions options;
        options.max_evaluations = limit;
        options.tolerance = 1e-6;
        const LbfgsResult result = refine(sweep, at, s, regularisation, options);
        const double after = refined_objective(random.problem, at, s, 0.4, regularisation);
        CHECK(result.value == doctest::Approx(after).epsilon(tolerance));
        CHECK(after <= before * (1 + tolerance));
        before = after;
      }
    }
  }
}

TEST_CASE(
    "recompression never increases the objective, and hardly changes the weight of a refined "
    "point") {
  const test::RandomProblem random({60, 5, 4, 6, 4});
  const Vector s = Vector::Ones(60);
  const Sweep<double> sweep(random.problem, 0.4);
  Factors at{random_matrix(5, 6, 3, 0.5), random_matrix(4, 6, 4, 0.5)};
  LbfgsOptions options;
  options.max_evaluations = 2000;
  options.tolerance = 1e-8;
  const double before = refined_objective(random.problem, at, s, 0.4, 1);
  CHECK(refined_objective(random.problem, factors(recompress(at, 1e-12)), s, 0.4, 1) < before);
  const LbfgsResult refined = refine(sweep, at, s, 1, options);
  const double compressed =
      refined_objective(random.problem, factors(recompress(at, 1e-12)), s, 0.4, 1);
  CHECK(compressed <= refined.value * (1 + 1e-12));
  CHECK(compressed == doctest::Approx(refined.value).epsilon(1e-9));
}

TEST_CASE(
    "recompression keeps W, and yields its singular values as weights and orthonormal vectors") {
  const struct {
    Index m, p, k;
  } shapes[] = {{9, 5, 3}, {5, 9, 3}, {4, 3, 12}, {3, 4, 1}, {1, 1, 5}, {20, 1, 2}, {6, 6, 6}};
  for (const auto& [m, p, k] : shapes) {
    CAPTURE(m);
    CAPTURE(p);
    CAPTURE(k);
    const Factors at{random_matrix(m, k, 5), random_matrix(p, k, 6)};
    const Matrix W = at.A * at.B.transpose();
    const Ensemble ensemble = recompress(at, 1e-10);
    const Vector sigma = test::plain_svd(W).sigma;
    CHECK((W_of(ensemble) - W).norm() < 1e-12 * W.norm());
    CHECK(ensemble.w.size() == std::min({m, p, k}));
    CHECK((ensemble.w - sigma.head(ensemble.w.size())).cwiseAbs().maxCoeff() < 1e-12 * sigma[0]);
    CHECK(ensemble.w.sum() == doctest::Approx(test::trace_norm(W)).epsilon(1e-12));
    CHECK(off_identity(ensemble.U) < 1e-12);
    CHECK(off_identity(ensemble.V) < 1e-12);
    CHECK(ensemble.w.sum() <= 0.5 * (at.A.squaredNorm() + at.B.squaredNorm()) * (1 + 1e-12));
  }
}

TEST_CASE("repeated weak models are merged, and those of negligible weight are dropped") {
  const Matrix u = random_matrix(6, 2, 7).colwise().normalized(),
               v = random_matrix(4, 2, 8).colwise().normalized();
  Factors at{Matrix(6, 4), Matrix(4, 4)};
  at.A << u.col(0), u.col(0), u.col(1) * 1e-5, u.col(1) * 1e-5;
  at.B << v.col(0), v.col(0), v.col(1) * 1e-5, v.col(1) * 1e-5;
  const Ensemble dropped = recompress(at, 1e-6);
  REQUIRE(dropped.w.size() == 1);
  CHECK(dropped.w[0] == doctest::Approx(2).epsilon(1e-9));
  CHECK(recompress(at, 1e-14).w.size() == 2);
}

TEST_CASE("factors without columns recompress to an empty ensemble") {
  const Ensemble none = recompress({Matrix::Zero(5, 3), random_matrix(4, 3, 1)}, 1e-5);
  CHECK(none.w.size() == 0);
  CHECK(none.U.rows() == 5);
  CHECK(none.V.rows() == 4);
}

TEST_CASE(
    "the orthogonal residual is orthogonal to the vectors of the ensemble, and is G for an empty "
    "one") {
  const Ensemble ensemble = recompress({random_matrix(8, 3, 5), random_matrix(6, 3, 6)}, 1e-10);
  const Matrix G = random_matrix(8, 6, 9);
  const Matrix rest = orthogonal_residual(ensemble, G);
  CHECK((ensemble.U.transpose() * rest).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((rest * ensemble.V).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((orthogonal_residual(ensemble, rest) - rest).cwiseAbs().maxCoeff() < 1e-13);
  CHECK(orthogonal_residual({Matrix(8, 0), Matrix(6, 0), Vector(0)}, G) == G);
  const Ensemble whole = recompress({random_matrix(8, 6, 5), random_matrix(6, 6, 6)}, 1e-10);
  CHECK(orthogonal_residual(whole, G).cwiseAbs().maxCoeff() < 1e-13);
}

TEST_CASE(
    "where refinement has ended, G is the regularisation weight times U V^T plus the orthogonal "
    "residual") {
  const test::RandomProblem random({60, 5, 4, 6, 4});
  const Vector s = test::random_sample_weights(60);
  const Sweep<double> sweep(random.problem, 0.4);
  const double regularisation = 2;
  Factors at{random_matrix(5, 2, 3, 0.5), random_matrix(4, 2, 4, 0.5)};
  LbfgsOptions options;
  options.max_evaluations = 5000;
  options.tolerance = 1e-9;
  refine(sweep, at, s, regularisation, options);
  const Ensemble ensemble = recompress(at, 1e-10);
  REQUIRE(ensemble.w.size() == 2);
  const Factors here = factors(ensemble);
  const Matrix G = sweep.negative_gradient(here.A, here.B, s).G;
  CHECK(
      (G - regularisation * ensemble.U * ensemble.V.transpose() - orthogonal_residual(ensemble, G))
          .cwiseAbs()
          .maxCoeff() < 1e-6 * regularisation);
}

TEST_CASE("appended weak models come after the existing ones, with the given weight") {
  const Ensemble one{random_matrix(4, 2, 1), random_matrix(3, 2, 2),
                     (Vector(2) << 5, 4).finished()};
  const Matrix U = random_matrix(4, 3, 3), V = random_matrix(3, 3, 4);
  const Ensemble both = append(one, U, V, 0.25);
  CHECK(both.U.leftCols(2) == one.U);
  CHECK(both.U.rightCols(3) == U);
  CHECK(both.V.leftCols(2) == one.V);
  CHECK(both.V.rightCols(3) == V);
  CHECK(both.w == (Vector(5) << 5, 4, 0.25, 0.25, 0.25).finished());
  const Ensemble first = append({}, U, V, 1);
  CHECK(first.U == U);
  CHECK(first.w == Vector::Ones(3));
  CHECK(append(one, U.leftCols(0), V.leftCols(0), 1).w == one.w);
}

}  // namespace
}  // namespace bzscr
