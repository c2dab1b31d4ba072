// ESZSL and CCA against their formulas, with plain inverses and roots of whole matrices.
#include "decompositions.h"
#include "plain_loops.h"
#include "trainer/core/random_problem.h"

#include "baselines/bilinear.h"
#include "baselines/cca.h"
#include "baselines/eszsl.h"

#include <doctest/doctest.h>

namespace bzscr::test {
namespace {

const Shape kShapes[] = {
    {1, 1, 1, 2, 0}, {7, 3, 4, 3, 1}, {17, 4, 2, 16, 3}, {255, 9, 17, 6, 2}, {600, 20, 5, 7, 3}};

Matrix plain_eszsl(const Problem& problem, double gamma, double lambda) {
  const Matrix X = plain_features(problem.X), S = problem.Phi.topRows(problem.seen);
  Matrix Y = Matrix::Constant(X.rows(), problem.seen, -1);
  for (Index i = 0; i < X.rows(); ++i) Y(i, problem.y[static_cast<std::size_t>(i)]) = 1;
  const Matrix left = X.transpose() * X + gamma * Matrix::Identity(X.cols(), X.cols());
  const Matrix right = S.transpose() * S + lambda * Matrix::Identity(S.cols(), S.cols());
  return inverse(left) * X.transpose() * Y * S * inverse(right);
}

struct PlainCca {
  Matrix A, B;
  Vector correlations;
};

PlainCca plain_cca(const Problem& problem, double gamma, double lambda) {
  const Matrix X = plain_features(problem.X);
  Matrix Y(X.rows(), problem.Phi.cols());
  for (Index i = 0; i < X.rows(); ++i)
    Y.row(i) = problem.Phi.row(problem.y[static_cast<std::size_t>(i)]);
  const auto N = static_cast<double>(X.rows());
  const Matrix Cxx = X.transpose() * X / N, Cyy = Y.transpose() * Y / N,
               Cxy = X.transpose() * Y / N;
  const Matrix Rx = inverse_root(Cxx + gamma * Cxx.trace() / static_cast<double>(X.cols()) *
                                           Matrix::Identity(X.cols(), X.cols()));
  const Matrix Ry = inverse_root(Cyy + lambda * Cyy.trace() / static_cast<double>(Y.cols()) *
                                           Matrix::Identity(Y.cols(), Y.cols()));
  const test::PlainSvd svd = test::plain_svd(Rx * Cxy * Ry);
  return {Rx * svd.U, Ry * svd.V, svd.sigma};
}

TEST_CASE("ESZSL satisfies the equations of its closed form") {
  for (const Shape& shape : kShapes)
    for (const double gamma : {0.01, 1.0, 100.0})
      for (const double lambda : {0.1, 10.0}) {
        CAPTURE(shape.N);
        const RandomProblem random(shape);
        const Matrix expected = plain_eszsl(random.problem, gamma, lambda);
        const Matrix W = eszsl(moments(random.problem), random.problem, gamma, lambda);
        CHECK((W - expected).norm() <= 1e-8 * expected.norm());
      }
}

TEST_CASE("ridge regression satisfies the equations of its closed form") {
  for (const Shape& shape : kShapes) {
    const RandomProblem random(shape);
    const Matrix X = plain_features(random.problem.X);
    Matrix Y(X.rows(), shape.p);
    for (Index i = 0; i < X.rows(); ++i)
      Y.row(i) = random.problem.Phi.row(random.problem.y[static_cast<std::size_t>(i)]);
    const Matrix expected =
        inverse(X.transpose() * X + 0.3 * Matrix::Identity(shape.m, shape.m)) * X.transpose() * Y;
    CHECK((ridge_regression(moments(random.problem), random.problem, 0.3) - expected).norm() <=
          1e-8 * expected.norm());
  }
}

TEST_CASE("correlations, bilinear form and class lengths of CCA agree with its definition") {
  for (const Shape& shape : kShapes)
    for (const double ridge : {0.01, 1.0}) {
      CAPTURE(shape.N);
      const RandomProblem random(shape);
      const Problem& problem = random.problem;
      const PlainCca plain = plain_cca(problem, ridge, ridge / 2);
      const CanonicalPairs pairs = cca(moments(problem), problem, ridge, ridge / 2);
      const Index c = pairs.correlations.size();
      CHECK((pairs.correlations - plain.correlations.head(c)).cwiseAbs().maxCoeff() <= 1e-6);
      CHECK(plain.correlations.tail(plain.correlations.size() - c).cwiseAbs().sum() <= 1e-6);
      CHECK(pairs.correlations.maxCoeff() <= 1);
      const Matrix W = plain.A * plain.correlations.asDiagonal() * plain.B.transpose();
      CHECK((bilinear(pairs) - W).norm() <= 1e-6 * W.norm());
      for (Index r = 0; r < problem.classes(); ++r) {
        const Vector image = plain.correlations.cwiseSqrt().asDiagonal() *
                             (plain.B.transpose() * problem.Phi.row(r).transpose());
        CHECK((problem.Phi.row(r) * class_lengths(pairs)).norm() ==
              doctest::Approx(image.norm()).epsilon(1e-4));
      }
    }
}

TEST_CASE("the CCA projections of samples and classes are correlated only within each pair") {
  const RandomProblem random({600, 20, 5, 7, 3});
  const Problem& problem = random.problem;
  const CanonicalPairs pairs = cca(moments(problem), problem, 1e-9, 1e-9);
  const Matrix X = plain_features(problem.X) * pairs.A;
  Matrix Y(X.rows(), pairs.B.cols());
  for (Index i = 0; i < X.rows(); ++i)
    Y.row(i) = problem.Phi.row(problem.y[static_cast<std::size_t>(i)]) * pairs.B;
  const Index c = pairs.correlations.size();
  CHECK((X.transpose() * X / 600.0 - Matrix::Identity(c, c)).cwiseAbs().maxCoeff() <= 1e-5);
  CHECK((Y.transpose() * Y / 600.0 - Matrix::Identity(c, c)).cwiseAbs().maxCoeff() <= 1e-5);
  CHECK(
      (X.transpose() * Y / 600.0 - Matrix(pairs.correlations.asDiagonal())).cwiseAbs().maxCoeff() <=
      1e-5);
}

TEST_CASE("weak models of W have the product W, orthonormal vectors and descending weights") {
  for (const Shape& shape : kShapes) {
    const Matrix W = random_matrix(shape.m, std::min<Index>(2, shape.m), 1) *
                     random_matrix(std::min<Index>(2, shape.m), shape.p, 2);
    const Ensemble ensemble = weak_models(W);
    CHECK(ensemble.w.size() == std::min({shape.m, shape.p, Index{2}}));
    CHECK((ensemble.U * ensemble.w.asDiagonal() * ensemble.V.transpose() - W).norm() <=
          1e-10 * W.norm());
    CHECK((ensemble.U.transpose() * ensemble.U).isIdentity(1e-8));
    CHECK((ensemble.V.transpose() * ensemble.V).isIdentity(1e-8));
    for (Index j = 1; j < ensemble.w.size(); ++j) CHECK(ensemble.w[j] <= ensemble.w[j - 1]);
  }
  CHECK(weak_models(Matrix::Zero(4, 3)).w.size() == 0);
}

TEST_CASE("scores are x^T P, and the first of the best classes wins") {
  for (const Shape& shape : awkward_shapes()) {
    const RandomProblem random(shape);
    const Matrix W = random_matrix(shape.m, shape.p, 3);
    const MatrixF F = scores(random.problem.X, W * random.problem.Phi.transpose());
    const Matrix expected = plain_scores(random.problem, W);
    CHECK((F.cast<double>() - expected).cwiseAbs().maxCoeff() <=
          1e-5 * expected.cwiseAbs().maxCoeff());
  }
  MatrixF F(2, 3);
  F << 1, 2, 2, -1, -1, -3;
  CHECK(best_classes(F) == Labels{1, 0});
}

TEST_CASE("moments are bitwise equal for any number of threads") {
  RandomProblem random({1100, 7, 4, 31, 5});
  random.problem.X.execution.threads = 1;
  const Moments one = moments(random.problem);
  random.problem.X.execution.threads = 3;
  const Moments three = moments(random.problem);
  CHECK((one.XX.vectors - three.XX.vectors).isZero(0));
  CHECK((one.XX.values - three.XX.values).isZero(0));
  CHECK((one.class_sums - three.class_sums).isZero(0));
}

}  // namespace
}  // namespace bzscr::test
