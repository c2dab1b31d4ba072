#include "core/curvature.h"

#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr {
namespace {

using test::random_matrix;

double off_identity(const Matrix& M) {
  return (M.transpose() * M - Matrix::Identity(M.cols(), M.cols())).cwiseAbs().maxCoeff();
}

// d^2 / dt^2 of the loss along W + t D, by central differences of the plain loops.
double plain_curvature(const Problem& problem, const Matrix& W, const Matrix& D, const Vector& s,
                       double beta) {
  const double h = 1e-3;
  const auto loss = [&](double t) {
    return s.dot(test::plain_losses(problem, test::plain_scores(problem, W + t * D), beta));
  };
  return (loss(h) - 2 * loss(0) + loss(-h)) / (h * h);
}

TEST_CASE("the mean curvature by scores is that of the losses, sample by sample") {
  for (const test::Shape& shape : test::awkward_shapes()) {
    CAPTURE(shape.N);
    const test::RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Matrix A = random_matrix(shape.m, 3, 1, 0.5), B = random_matrix(shape.p, 3, 2, 0.5);
    const Vector s = test::random_sample_weights(shape.N);
    const Matrix S = Sweep<double>(problem, 0.7).curvature(A, B, s);
    CHECK((S - S.transpose()).norm() <= 1e-12 * S.norm());

    // Along a direction that is the same for every sample: margins and covariances by hand.
    const Matrix F = test::plain_scores(problem, A * B.transpose());
    const Matrix rho = test::plain_margins(problem, F);
    const Vector cov = test::plain_covariances(problem, F);
    const auto gradient = [](double t) {
      return 0.25 / std::pow(std::cosh(t / 2), 2);
    };  // of the sigmoid
    for (unsigned seed = 5; seed < 8; ++seed) {
      const Vector d = random_matrix(problem.classes(), 1, seed);
      Matrix moved = Matrix::Zero(problem.samples(), problem.classes());
      moved.rowwise() = d.transpose();
      const Vector dcov = test::plain_covariances(problem, moved);
      double expected = 0;
      for (Index i = 0; i < problem.samples(); ++i) {
        const Index y = problem.y[static_cast<std::size_t>(i)];
        double one = 0.7 * gradient(cov[i]) * dcov[i] * dcov[i];
        for (Index r = 0; r < problem.seen; ++r)
          one += gradient(rho(i, r)) * (d[r] - d[y]) * (d[r] - d[y]);
        expected += s[i] * one;
      }
      const double got = static_cast<double>(problem.samples()) * d.dot(S * d);
      CHECK(got == doctest::Approx(expected).epsilon(1e-9));
    }
  }
}

TEST_CASE("the spectrum of few features is that of X^T X, and of many samples it is near") {
  const test::RandomProblem few({700, 9, 3, 4, 2});
  const Matrix X = test::plain_features(few.problem.X), gram = X.transpose() * X;
  const FeatureSpectrum exact = feature_spectrum(few.problem.X);
  CHECK(off_identity(exact.vectors) < 1e-12);
  CHECK((exact.vectors * exact.values.asDiagonal() * exact.vectors.transpose() - gram).norm() <
        1e-5 * gram.norm());

  const test::RandomProblem many({9000, 5, 3, 4, 2});
  const Matrix Y = test::plain_features(many.problem.X);
  const FeatureSpectrum near = feature_spectrum(many.problem.X);
  CHECK(near.values.sum() == doctest::Approx(Y.squaredNorm()).epsilon(0.05));
}

TEST_CASE("of very many features only the squares are taken: their directions stay as they are") {
  const test::RandomProblem wide({12, 2049, 2, 3, 0});
  const FeatureSpectrum spectrum = feature_spectrum(wide.problem.X);
  const Vector squares = test::plain_features(wide.problem.X).colwise().squaredNorm();
  CHECK((spectrum.values - squares).cwiseAbs().maxCoeff() <= 1e-5 * squares.maxCoeff());
  const Matrix M = random_matrix(2049, 3, 5);
  CHECK(spectrum.into(M) == M);
  CHECK(spectrum.out_of(M) == M);
}

TEST_CASE(
    "in its own basis, the curvature of one side is that of the objective where all samples curve "
    "alike") {
  // One seen class besides that of all samples, no weight yet: S_i is the same for all.
  test::RandomProblem random({64, 4, 2, 2, 0});
  Problem& problem = random.problem;
  for (auto& y : problem.y) y = 0;
  const Vector s = Vector::Ones(64);
  const double regularisation = 0.3;
  const FeatureSpectrum features = feature_spectrum(problem.X);
  const Curvature curvature(problem, features, 0);
  const Factors at{Matrix::Zero(4, 2), random_matrix(2, 2, 3)};
  const FactorBasis basis = curvature.basis(at, s, regularisation);
  CHECK(off_identity(basis.features.vectors) < 1e-12);
  CHECK(off_identity(basis.EB) < 1e-12);
  CHECK(off_identity(basis.KA) < 1e-12);
  CHECK(off_identity(basis.KB) < 1e-12);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 2; ++j) {
      Matrix one = Matrix::Zero(4, 2);
      one(i, j) = 1;
      const Matrix A = basis.features.out_of(one * basis.KA.transpose());
      const double expected =
          plain_curvature(problem, Matrix::Zero(4, 2), A * at.B.transpose(), s, 0) + regularisation;
      CHECK(basis.curvature_A(i, j) == doctest::Approx(expected).epsilon(1e-4));
    }
}

TEST_CASE(
    "the first guess is a set of unit weak models, more than half of the way to the optimum, and "
    "no more than asked for") {
  const test::RandomProblem random({600, 8, 5, 7, 3});
  const Problem& problem = random.problem;
  const Vector s = test::random_sample_weights(600);
  const double regularisation = 0.01 * 600;
  const FeatureSpectrum features = feature_spectrum(problem.X);
  const Curvature curvature(problem, features, 0.4);
  const Matrix W0 = Matrix::Zero(8, 5), F0 = test::plain_scores(problem, W0);
  const Matrix G =
      test::plain_negative_gradient(problem, test::plain_dual_weights(problem, F0, s, 0.4));
  const double before = test::plain_objective(problem, W0, s, 0.4, regularisation);
  Factors best{random_matrix(8, 5, 1, 0.1), random_matrix(5, 5, 2, 0.1)};
  LbfgsOptions options;
  options.max_evaluations = 2000;
  const double optimum =
      refine(Sweep<double>(problem, 0.4), best, s, regularisation, options).value;
  for (const Index most : {1, 3, 100}) {
    const Ensemble guess = curvature.first_guess(G, s, regularisation, most);
    CHECK(guess.w.size() >= 1);
    CHECK(guess.w.size() <= std::min<Index>(most, 5));
    CHECK(guess.w.minCoeff() > 0);
    CHECK(off_identity(guess.U) < 1e-9);
    CHECK(off_identity(guess.V) < 1e-9);
    const Matrix W = guess.U * guess.w.asDiagonal() * guess.V.transpose();
    const double after = test::plain_objective(problem, W, s, 0.4, regularisation);
    CHECK(after < before);
    if (most == 100) CHECK(before - after > 0.5 * (before - optimum));
  }
}

TEST_CASE(
    "refinement that knows the curvature ends at the same objective, with fewer evaluations where "
    "features differ in size") {
  test::RandomProblem random({800, 12, 5, 6, 3});
  for (Index j = 0; j < 12; ++j) random.file.col(j) *= static_cast<float>(std::pow(0.6, j));
  const Problem& problem = random.problem;
  const Vector s = Vector::Ones(800);
  const double regularisation = 0.002 * 800;
  const Sweep<double> sweep(problem, 0.4);
  const FeatureSpectrum features = feature_spectrum(problem.X);
  const Factors start{random_matrix(12, 5, 3, 0.5), random_matrix(5, 5, 4, 0.5)};
  LbfgsOptions options;
  options.max_evaluations = 5000;
  options.tolerance = 1e-6 * 800;
  Factors plain = start, informed = start;
  const LbfgsResult without = refine(sweep, plain, s, regularisation, options);
  options.max_evaluations = 20;  // it only holds for a while
  LbfgsResult with;
  Index evaluations = 0;
  do {
    const FactorBasis basis = Curvature(problem, features, 0.4).basis(informed, s, regularisation);
    with = refine(sweep, informed, s, regularisation, options, &basis);
    evaluations += with.evaluations;
  } while (with.evaluations == options.max_evaluations);
  CHECK(with.value == doctest::Approx(without.value).epsilon(1e-6));
  CHECK(evaluations < without.evaluations / 3);
}

}  // namespace
}  // namespace bzscr
