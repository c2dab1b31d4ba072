#include "core/curvature.h"

#include "decompositions.h"
#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <algorithm>
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

double sigmoid_gradient(double t) { return 0.25 / std::pow(std::cosh(t / 2), 2); }

/// sum_i s_i d^2 l_i / dF_i^2 / N at the scores F, sample by sample and class by class.
Matrix plain_mean_curvature(const Problem& problem, const Matrix& F, const Vector& s, double beta) {
  const Matrix rho = test::plain_margins(problem, F);
  const Vector cov = test::plain_covariances(problem, F);
  const Index seen = problem.seen, C = problem.classes();
  Matrix S = Matrix::Zero(C, C);
  for (Index i = 0; i < F.rows(); ++i) {
    const Index y = problem.y[static_cast<std::size_t>(i)];
    for (Index r = 0; r < seen; ++r) {
      const double each = s[i] * sigmoid_gradient(rho(i, r));
      S(r, r) += each;
      S(y, y) += each;
      S(r, y) -= each;
      S(y, r) -= each;
    }
    double mean = 0;
    for (Index r = seen; r < C; ++r) mean += problem.Delta(y, r) / static_cast<double>(C - seen);
    const double scale = static_cast<double>((C - seen) * (C - seen));
    for (Index r = seen; r < C; ++r)
      for (Index q = seen; q < C; ++q)
        S(r, q) += s[i] * beta * sigmoid_gradient(cov[i]) * (problem.Delta(y, r) - mean) *
                   (problem.Delta(y, q) - mean) / scale;
  }
  return S / static_cast<double>(F.rows());
}

/// Every n-th sample of a problem, whose features stay where they are.
Problem plain_thinned(const Problem& problem, Index n) {
  Problem some{problem.X, {}, problem.Phi, problem.Delta, problem.seen};
  some.X.rows.clear();
  some.X.scale.resize((problem.samples() + n - 1) / n);
  for (Index i = 0; i < problem.samples(); i += n) {
    some.X.scale[static_cast<Index>(some.X.rows.size())] = problem.X.scale[i];
    some.X.rows.push_back(problem.X.rows[static_cast<std::size_t>(i)]);
    some.y.push_back(problem.y[static_cast<std::size_t>(i)]);
  }
  return some;
}

/// The two Kronecker factors of the loss's Hessian by W: sum_i x_i x_i^T, and Phi^T S Phi with the
/// mean S.
struct PlainFactors {
  Matrix features;    // m x m
  Matrix embeddings;  // p x p
};

PlainFactors plain_factors(const Problem& problem, const Matrix& W, const Vector& s, double beta) {
  const Matrix X = test::plain_features(problem.X);
  const Matrix S = plain_mean_curvature(problem, test::plain_scores(problem, W), s, beta);
  PlainFactors factors{Matrix::Zero(X.cols(), X.cols()),
                       Matrix::Zero(problem.Phi.cols(), problem.Phi.cols())};
  for (Index i = 0; i < X.rows(); ++i)
    for (Index a = 0; a < X.cols(); ++a)
      for (Index b = 0; b < X.cols(); ++b) factors.features(a, b) += X(i, a) * X(i, b);
  for (Index r = 0; r < S.rows(); ++r)
    for (Index q = 0; q < S.cols(); ++q)
      for (Index a = 0; a < problem.Phi.cols(); ++a)
        for (Index b = 0; b < problem.Phi.cols(); ++b)
          factors.embeddings(a, b) += problem.Phi(r, a) * S(r, q) * problem.Phi(q, b);
  return factors;
}

void check_equal(const Matrix& got, const Matrix& expected, double tolerance) {
  REQUIRE(got.rows() == expected.rows());
  REQUIRE(got.cols() == expected.cols());
  const double allowed = tolerance * expected.cwiseAbs().maxCoeff();
  for (Index i = 0; i < got.rows(); ++i)
    for (Index j = 0; j < got.cols(); ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(std::fabs(got(i, j) - expected(i, j)) <= allowed);
    }
}

TEST_CASE("the plain curvature in the scores is the second difference of the losses") {
  const test::RandomProblem random({5, 3, 2, 4, 3});
  const Problem& problem = random.problem;
  const Vector s = test::random_sample_weights(5);
  const Matrix F = random_matrix(5, problem.classes(), 4);
  const Index C = problem.classes();
  const auto loss = [&](Index r, double by_r, Index q, double by_q) {
    Matrix moved = F;
    moved.col(r).array() += by_r;
    moved.col(q).array() += by_q;
    return s.dot(test::plain_losses(problem, moved, 0.7)) / 5;
  };
  const double h = 1e-3;
  Matrix differences(C, C);
  for (Index r = 0; r < C; ++r)
    for (Index q = 0; q < C; ++q)
      differences(r, q) =
          (loss(r, h, q, h) - loss(r, h, q, -h) - loss(r, -h, q, h) + loss(r, -h, q, -h)) /
          (4 * h * h);
  check_equal(plain_mean_curvature(problem, F, s, 0.7), differences, 1e-5);
}

TEST_CASE("every entry of the mean curvature in the scores agrees with plain loops") {
  for (const test::Shape& shape : test::awkward_shapes()) {
    CAPTURE(shape.N);
    const test::RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Matrix A = random_matrix(shape.m, 3, 1, 0.5), B = random_matrix(shape.p, 3, 2, 0.5);
    const Vector s = test::random_sample_weights(shape.N);
    const Matrix F = test::plain_scores(problem, A * B.transpose());
    check_equal(Sweep<double>(problem, 0.7).curvature(A, B, s),
                plain_mean_curvature(problem, F, s, 0.7), 1e-9);
  }
}

TEST_CASE("the spectrum of few features is the eigenvalue decomposition of X^T X") {
  const test::RandomProblem few({700, 9, 3, 4, 2});
  const Matrix X = test::plain_features(few.problem.X), gram = X.transpose() * X;
  const FeatureSpectrum exact = feature_spectrum(few.problem.X);
  CHECK(off_identity(exact.vectors) < 1e-12);
  check_equal(exact.vectors * exact.values.asDiagonal() * exact.vectors.transpose(), gram, 1e-5);
}

TEST_CASE("the spectrum of many samples is that of every n-th sample, scaled to all samples") {
  const test::RandomProblem many({9000, 5, 3, 4, 2});
  const Matrix X = test::plain_features(many.problem.X);
  const Index n = thinning(many.problem.X);
  CHECK(n == 4);
  const Matrix some = X(Eigen::seq(0, 8999, n), Eigen::all);
  const FeatureSpectrum near = feature_spectrum(many.problem.X);
  const Matrix estimate = near.vectors * near.values.asDiagonal() * near.vectors.transpose();
  check_equal(estimate, 9000.0 / static_cast<double>(some.rows()) * some.transpose() * some, 1e-5);
  // And so within five standard errors of the sum over all.
  const Matrix gram = X.transpose() * X;
  for (Index a = 0; a < 5; ++a)
    for (Index b = 0; b < 5; ++b) {
      const Vector each = X.col(a).cwiseProduct(X.col(b));
      const double deviation = std::sqrt((each.array() - each.mean()).square().mean());
      CHECK(std::fabs(estimate(a, b) - gram(a, b)) <=
            5 * 9000 * deviation / std::sqrt(static_cast<double>(some.rows())));
    }
}

TEST_CASE(
    "the spectrum of more than 2048 features is the diagonal of X^T X in the original "
    "coordinates") {
  const test::RandomProblem wide({12, 2049, 2, 3, 0});
  const FeatureSpectrum spectrum = feature_spectrum(wide.problem.X);
  const Vector squares = test::plain_features(wide.problem.X).colwise().squaredNorm();
  CHECK((spectrum.values - squares).cwiseAbs().maxCoeff() <= 1e-5 * squares.maxCoeff());
  const Matrix M = random_matrix(2049, 3, 5);
  CHECK(spectrum.into(M) == M);
  CHECK(spectrum.out_of(M) == M);
}

TEST_CASE(
    "where all samples have the same curvature, the curvature in the basis is that of the "
    "objective") {
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
    "in the basis both Kronecker factors are diagonal, and each curvature is their product plus "
    "that of the penalty") {
  // The last has so many samples that every second is looked at.
  for (const test::Shape& shape :
       {test::Shape{33, 6, 5, 7, 4}, {300, 4, 3, 5, 0}, {513, 3, 4, 4, 3}, {5000, 5, 3, 4, 2}}) {
    CAPTURE(shape.N);
    const test::RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Vector s = test::random_sample_weights(shape.N);
    const Penalty penalty(0.3, 0.8);
    const FeatureSpectrum features = feature_spectrum(problem.X);
    const Factors at{random_matrix(shape.m, 2, 3, 0.5), random_matrix(shape.p, 2, 4, 0.5)};
    const FactorBasis basis = Curvature(problem, features, 0.7).basis(at, s, penalty);

    const Index n = thinning(problem.X);
    CHECK(n == (shape.N == 5000 ? 2 : 1));
    const Problem some = plain_thinned(problem, n);
    PlainFactors plain =
        plain_factors(some, at.A * at.B.transpose(), s(Eigen::seq(0, shape.N - 1, n)), 0.7);
    plain.features *= static_cast<double>(shape.N) / static_cast<double>(some.samples());

    // Each direction of a factor, as W moves along it: A = E a KA^T, B = EB b KB^T.
    const Matrix E = features.out_of(Matrix::Identity(shape.m, shape.m));
    const Matrix BKA = at.B * basis.KA, AKB = at.A * basis.KB;
    const Matrix of_X = E.transpose() * plain.features * E,
                 of_Phi = basis.EB.transpose() * plain.embeddings * basis.EB,
                 of_B = BKA.transpose() * plain.embeddings * BKA,
                 of_A = AKB.transpose() * plain.features * AKB;
    for (const Matrix& orthogonal : {E, basis.EB, basis.KA, basis.KB})
      CHECK(off_identity(orthogonal) < 1e-12);
    for (const Matrix& diagonal : {of_X, of_Phi, of_B, of_A})
      check_equal(diagonal, diagonal.diagonal().asDiagonal().toDenseMatrix(), 1e-5);
    Matrix by_A(shape.m, 2), by_B(shape.p, 2);
    for (Index j = 0; j < 2; ++j) {
      for (Index i = 0; i < shape.m; ++i)
        by_A(i, j) = of_X(i, i) * of_B(j, j) + 0.3 + 0.8 * BKA.col(j).squaredNorm();
      for (Index i = 0; i < shape.p; ++i)
        by_B(i, j) = of_Phi(i, i) * of_A(j, j) + 0.3 + 0.8 * AKB.col(j).squaredNorm();
    }
    check_equal(basis.curvature_A, by_A, 1e-5);
    check_equal(basis.curvature_B, by_B, 1e-5);
  }
}

/// (features (x) embeddings + damping) W = G for W, m x p, as one dense system of m p equations.
Matrix plain_newton_step(const PlainFactors& factors, const Matrix& G, double damping) {
  const Index m = G.rows(), p = G.cols();
  Matrix H(m * p, m * p);
  Vector g(m * p);
  for (Index a = 0; a < m; ++a)
    for (Index b = 0; b < p; ++b) {
      g[a * p + b] = G(a, b);
      for (Index c = 0; c < m; ++c)
        for (Index d = 0; d < p; ++d)
          H(a * p + b, c * p + d) = factors.features(a, c) * factors.embeddings(b, d) +
                                    (a == c && b == d ? damping : 0.0);
    }
  const Vector w = test::solve(H, g);
  Matrix W(m, p);
  for (Index a = 0; a < m; ++a)
    for (Index b = 0; b < p; ++b) W(a, b) = w[a * p + b];
  return W;
}

TEST_CASE(
    "the first guess is the damped Newton step from W = 0, truncated to the leading weak models "
    "and doubled while the objective decreases") {
  const test::RandomProblem random({600, 6, 4, 7, 3});
  const Problem& problem = random.problem;
  const Vector s = test::random_sample_weights(600);
  const FeatureSpectrum features = feature_spectrum(problem.X);
  const Curvature curvature(problem, features, 0.4);
  const Matrix W0 = Matrix::Zero(6, 4), F0 = test::plain_scores(problem, W0);
  const Matrix G =
      test::plain_negative_gradient(problem, test::plain_dual_weights(problem, F0, s, 0.4));
  bool doubled = false;
  // A tenth of the gradient gives a step that is too short: there doubling helps.
  for (const double length : {1.0, 0.1})
    for (const double trace : {0.5, 6.0, 60.0})
      for (const double ridge : {0.0, 12.0})
        for (const Index most : {1, 2, 100}) {
          CAPTURE(length);
          CAPTURE(trace);
          CAPTURE(ridge);
          CAPTURE(most);
          const Ensemble guess = curvature.first_guess(length * G, s, Penalty(trace, ridge), most);
          // Ten times the regularisation weight: its gradient at W = 0 is no constant.
          const Matrix step =
              plain_newton_step(plain_factors(problem, W0, s, 0.4), length * G, 10 * trace + ridge);
          const test::PlainSvd svd = test::plain_svd(step);
          const Index k = std::min<Index>(most, 4);
          REQUIRE(guess.w.size() == k);
          const Matrix cut =
              svd.U.leftCols(k) * svd.sigma.head(k).asDiagonal() * svd.V.leftCols(k).transpose();
          const auto objective = [&](double t) {
            return test::plain_objective(problem, t * cut, s, 0.4, trace) +
                   0.5 * ridge * (t * cut).squaredNorm();
          };
          double t = 1;
          while (objective(2 * t) < objective(t)) t *= 2;
          doubled = doubled || t > 1;
          check_equal(guess.U * guess.w.asDiagonal() * guess.V.transpose(), t * cut, 1e-5);
        }
  CHECK(doubled);
}

TEST_CASE(
    "the first guess has unit weak models, at most the requested number, and covers more than half "
    "of the decrease to the optimum") {
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
    "refinement with curvature reaches the same objective, with fewer evaluations where features "
    "differ in size") {
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
