#include "core/certificate.h"

#include "core/refinement.h"
#include "decompositions.h"
#include "golden.h"
#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr {
namespace {

using test::random_matrix;

/// A = U sqrt(sigma), B = V sqrt(sigma) of W's singular values: factors of least weight.
struct Split {
  explicit Split(const Matrix& W) {
    const test::PlainSvd svd = test::plain_svd(W);
    const Vector root = svd.sigma.cwiseSqrt();
    A = svd.U * root.asDiagonal();
    B = svd.V * root.asDiagonal();
    weight = svd.sigma.sum();
  }
  Matrix A, B;
  double weight;
};

template <class Scalar>
Inspection inspect_at(const Problem& problem, double beta, const Matrix& W, const Vector& s,
                      double regularisation) {
  const Split at(W);
  return inspect(Sweep<Scalar>(problem, beta), at.A, at.B, at.weight, s, regularisation);
}

TEST_CASE_TEMPLATE("objective, losses, G and dual at the scaled Q agree with plain loops", Scalar,
                   float, double) {
  const double tolerance = sizeof(Scalar) == 4 ? 1e-5 : 1e-11;
  for (const test::Shape& shape : test::awkward_shapes()) {
    const test::RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Matrix W = random_matrix(shape.m, shape.p, 3, 0.3);
    const Vector s = test::random_sample_weights(shape.N);
    const Matrix F = test::plain_scores(problem, W),
                 G = test::plain_negative_gradient(problem,
                                                   test::plain_dual_weights(problem, F, s, 0.7));
    const double sigma = test::plain_svd(G).sigma[0];
    for (const double regularisation : {0.3 * sigma, 3 * sigma}) {
      const Inspection seen = inspect_at<Scalar>(problem, 0.7, W, s, regularisation);
      const double P = test::plain_objective(problem, W, s, 0.7, regularisation);
      CHECK(seen.certificate.objective == doctest::Approx(P).epsilon(tolerance));
      CHECK(std::fabs(seen.certificate.lower_bound -
                      test::plain_dual(problem, F, s, 0.7, std::min(1.0, regularisation / sigma))) <
            tolerance * P);
      CHECK(seen.leading.sigma[0] == doctest::Approx(sigma).epsilon(tolerance));
      CHECK((seen.losses - test::plain_losses(problem, F, 0.7)).cwiseAbs().maxCoeff() <
            tolerance * seen.losses.maxCoeff());
      CHECK((seen.G - G).cwiseAbs().maxCoeff() < 2 * tolerance * G.cwiseAbs().maxCoeff());
    }
  }
}

TEST_CASE("no W has an objective below a certified lower bound, wherever the bound was computed") {
  for (const test::Shape& shape :
       {test::Shape{30, 4, 3, 4, 3}, test::Shape{9, 3, 5, 2, 0}, test::Shape{60, 5, 2, 17, 1}}) {
    const test::RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Vector s = test::random_sample_weights(shape.N);
    for (const double beta : {0.0, 0.9})
      for (const double nu : {1e-3, 0.03, 0.3}) {
        const double regularisation = nu * static_cast<double>(shape.N);
        double highest_bound = 0, lowest_objective = 1e300;
        for (unsigned seed = 0; seed < 40; ++seed) {
          const Matrix W = random_matrix(shape.m, shape.p, seed, 2 * std::pow(0.8, seed));
          highest_bound = std::max(
              highest_bound,
              inspect_at<double>(problem, beta, W, s, regularisation).certificate.lower_bound);
          lowest_objective = std::min(lowest_objective,
                                      test::plain_objective(problem, W, s, beta, regularisation));
        }
        CHECK(highest_bound <= lowest_objective);
      }
  }
}

TEST_CASE(
    "at the optimum of every golden toy problem the gap is zero and the bound is the optimum") {
  const test::GoldenProblem golden = test::read_golden("toy");
  const Problem& problem = golden.problem;
  for (const test::GoldenCase& one : golden.cases) {
    CAPTURE(one.nu_per_sample);
    CAPTURE(one.beta);
    const double regularisation = one.nu_per_sample * static_cast<double>(problem.samples());
    const Sweep<double> sweep(problem, one.beta);
    const Index full = std::min(problem.X.dimension(), problem.Phi.cols());
    Factors at{random_matrix(problem.X.dimension(), full, 1, 0.1),
               random_matrix(problem.Phi.cols(), full, 2, 0.1)};
    LbfgsOptions options;
    options.max_evaluations = 5000;
    options.tolerance = 1e-9 * one.optimum;
    refine(sweep, at, golden.s(one), regularisation, options);
    const Ensemble ensemble = recompress(at, 1e-7);
    const Factors compressed = factors(ensemble);
    const Certificate certificate =
        inspect(sweep, compressed.A, compressed.B, ensemble.w.sum(), golden.s(one), regularisation)
            .certificate;
    CHECK(certificate.relative_gap() < 1e-6);
    CHECK(certificate.objective == doctest::Approx(one.optimum).epsilon(1e-7));
    CHECK(certificate.lower_bound <= one.optimum * (1 + one.relative_gap + 1e-12));
  }
}

TEST_CASE_TEMPLATE("far from the optimum the certified gap is at least the true gap", Scalar, float,
                   double) {
  const test::GoldenProblem golden = test::read_golden("toy");
  const Problem& problem = golden.problem;
  for (const test::GoldenCase& one : golden.cases) {
    const double regularisation = one.nu_per_sample * static_cast<double>(problem.samples());
    for (const double size : {0.0, 1e-3, 0.1, 1.0, 10.0, 1e3}) {
      CAPTURE(size);
      const Matrix W = random_matrix(problem.X.dimension(), problem.Phi.cols(), 5, size);
      const Certificate certificate =
          inspect_at<Scalar>(problem, one.beta, W, golden.s(one), regularisation).certificate;
      CHECK(certificate.lower_bound <= one.optimum * (1 + 1e-6));
      CHECK(certificate.relative_gap() >=
            (certificate.objective - one.optimum) / certificate.objective - 1e-6);
    }
  }
}

TEST_CASE(
    "with a ridge, no W has an objective below a lower bound, and refinement closes the gap") {
  const test::RandomProblem random({60, 6, 4, 9, 3});
  const Problem& problem = random.problem;
  const Vector s = test::random_sample_weights(60);
  const Sweep<double> sweep(problem, 0.7);
  for (const Penalty& penalty : {Penalty(0.06, 0.6), Penalty(2, 6), Penalty(1e-3, 60)}) {
    CAPTURE(penalty.trace);
    CAPTURE(penalty.ridge);
    double highest_bound = 0, lowest_objective = 1e300;
    for (unsigned seed = 0; seed < 40; ++seed) {
      const Matrix W = random_matrix(6, 4, seed, 2 * std::pow(0.8, seed));
      const Split at(W);
      const Certificate here = inspect(sweep, at.A, at.B, at.weight, s, penalty).certificate;
      const double plain = test::plain_objective(problem, W, s, 0.7, penalty.trace) +
                           0.5 * penalty.ridge * W.squaredNorm();
      CHECK(here.objective == doctest::Approx(plain).epsilon(1e-11));
      highest_bound = std::max(highest_bound, here.lower_bound);
      lowest_objective = std::min(lowest_objective, plain);
    }
    CHECK(highest_bound <= lowest_objective);
    Factors at{random_matrix(6, 4, 1, 0.1), random_matrix(4, 4, 2, 0.1)};
    LbfgsOptions options;
    options.max_evaluations = 5000;
    options.tolerance = 1e-10 * lowest_objective;
    refine(sweep, at, s, penalty, options);
    const Ensemble ensemble = recompress(at, 1e-9);
    const Factors best = factors(ensemble);
    const Certificate optimum =
        inspect(sweep, best.A, best.B, ensemble.w.sum(), s, penalty).certificate;
    CHECK(optimum.relative_gap() < 1e-7);
    CHECK(optimum.objective <= lowest_objective);
    CHECK(optimum.lower_bound >= highest_bound);
  }
}

TEST_CASE("excess weight of an ensemble raises the objective and leaves the bound unchanged") {
  const test::RandomProblem random({30, 4, 3, 4, 3});
  const Split at(random_matrix(4, 3, 2, 0.3));
  const Sweep<double> sweep(random.problem, 0.4);
  const Vector s = Vector::Ones(30);
  const Certificate least = inspect(sweep, at.A, at.B, at.weight, s, 2).certificate;
  const Certificate more = inspect(sweep, at.A, at.B, at.weight + 1, s, 2).certificate;
  CHECK(more.objective == doctest::Approx(least.objective + 2));
  CHECK(more.lower_bound == least.lower_bound);
}

TEST_CASE("a relative gap is never negative, and is zero for a zero objective") {
  CHECK(Certificate{1, 1.5}.relative_gap() == 0);
  CHECK(Certificate{2, 1}.relative_gap() == 0.5);
  CHECK(Certificate{0, 0}.relative_gap() == 0);
}

}  // namespace
}  // namespace bzscr
