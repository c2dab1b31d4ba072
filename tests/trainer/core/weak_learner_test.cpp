#include "core/weak_learner.h"

#include "decompositions.h"
#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace bzscr {
namespace {

using test::random_matrix;

double off_identity(const Matrix& M) {
  return (M.transpose() * M - Matrix::Identity(M.cols(), M.cols())).cwiseAbs().maxCoeff();
}

Matrix orthonormal(Index rows, Index columns, unsigned seed) {
  return test::plain_svd(random_matrix(rows, columns, seed)).U;
}

/// A matrix with these singular values.
Matrix with_sigma(Index rows, Index columns, const Vector& sigma, unsigned seed) {
  return orthonormal(rows, sigma.size(), seed) * sigma.asDiagonal() *
         orthonormal(columns, sigma.size(), seed + 1).transpose();
}

/// Unit length, orthogonal, G v = sigma u: what being a singular pair means.
void check_pairs(const Matrix& G, const SingularPairs& pairs, double tolerance) {
  CHECK(off_identity(pairs.U) < tolerance);
  CHECK(off_identity(pairs.V) < tolerance);
  const double scale = pairs.sigma[0];
  CHECK((G * pairs.V - pairs.U * pairs.sigma.asDiagonal()).cwiseAbs().maxCoeff() <
        tolerance * scale);
  CHECK((G.transpose() * pairs.U - pairs.V * pairs.sigma.asDiagonal()).cwiseAbs().maxCoeff() <
        tolerance * scale);
}

TEST_CASE(
    "leading pairs agree with Eigen's Jacobi SVD for wide, tall and square matrices, a row, a "
    "column and a number") {
  const struct {
    Index m, p;
  } shapes[] = {{30, 7}, {7, 30}, {12, 12}, {1, 9}, {9, 1}, {1, 1}, {200, 3}, {2, 2}};
  for (const auto& [m, p] : shapes)
    for (const Index count : {1, 3, 50}) {
      CAPTURE(m);
      CAPTURE(p);
      CAPTURE(count);
      const Matrix G = random_matrix(m, p, 3, 5);
      const Vector expected = test::plain_svd(G).sigma;
      const SingularPairs pairs = leading_pairs(G, count);
      const Index most = std::min({m, p, count});
      REQUIRE(pairs.sigma.size() == most);
      CHECK(pairs.sigma[0] == doctest::Approx(expected[0]).epsilon(1e-10));
      for (Index j = 0; j < most; ++j)
        CHECK(pairs.sigma[j] == doctest::Approx(expected[j]).epsilon(1e-8));
      check_pairs(G, pairs, 1e-9);
    }
}

TEST_CASE("a matrix of low rank gives as many pairs as its rank") {
  for (const bool wide : {false, true}) {
    const Vector sigma = (Vector(3) << 9, 4, 1).finished();
    const Matrix G = wide ? with_sigma(8, 25, sigma, 4) : with_sigma(25, 8, sigma, 4);
    const SingularPairs pairs = leading_pairs(G, 8);
    REQUIRE(pairs.sigma.size() == 3);  // eight were asked for
    for (Index j = 0; j < 3; ++j) CHECK(pairs.sigma[j] == doctest::Approx(sigma[j]).epsilon(1e-10));
    check_pairs(G, pairs, 1e-9);
  }
}

TEST_CASE("a zero matrix gives one pair of unit vectors and sigma 0") {
  const SingularPairs pairs = leading_pairs(Matrix::Zero(4, 6), 3);
  REQUIRE(pairs.sigma.size() == 1);
  CHECK(pairs.sigma[0] == 0);
  CHECK(pairs.U.col(0).norm() == 1);
  CHECK(pairs.V.col(0).norm() == 1);
}

TEST_CASE("nearly equal singular values are exact, and their vectors are orthogonal") {
  for (const double apart : {1e-6, 1e-10, 1e-14, 0.0}) {
    CAPTURE(apart);
    const Vector sigma = (Vector(4) << 2, 2 - apart, 2 - 2 * apart, 0.5).finished();
    for (const bool wide : {false, true}) {
      const Matrix G = wide ? with_sigma(6, 40, sigma, 8) : with_sigma(40, 6, sigma, 8);
      const SingularPairs pairs = leading_pairs(G, 4);
      CHECK(pairs.sigma[0] == doctest::Approx(2).epsilon(1e-10));
      for (Index j = 1; j < 4; ++j)
        CHECK(pairs.sigma[j] == doctest::Approx(sigma[j]).epsilon(1e-10));
      check_pairs(G, pairs, 1e-9);
    }
  }
}

TEST_CASE("singular values are descending over many orders of magnitude") {
  Vector sigma(8);
  for (Index j = 0; j < 8; ++j) sigma[j] = std::pow(10, 3 - static_cast<double>(j));
  const SingularPairs pairs = leading_pairs(with_sigma(20, 8, sigma, 5), 8);
  for (Index j = 0; j + 1 < pairs.sigma.size(); ++j) CHECK(pairs.sigma[j] >= pairs.sigma[j + 1]);
  CHECK(pairs.sigma[0] == doctest::Approx(1000).epsilon(1e-10));
  for (Index j = 0; j < 6; ++j) CHECK(pairs.sigma[j] == doctest::Approx(sigma[j]).epsilon(1e-5));
}

TEST_CASE("leading pairs are correct for very large and very small numbers") {
  const Matrix G = random_matrix(9, 5, 6);
  const double sigma = test::plain_svd(G).sigma[0];
  for (const double size : {1e-200, 1e-30, 1e30, 1e200}) {
    CAPTURE(size);
    const SingularPairs pairs = leading_pairs(size * G, 2);
    CHECK(pairs.sigma[0] / size == doctest::Approx(sigma).epsilon(1e-10));
    CHECK(off_identity(pairs.U) < 1e-9);
    CHECK(off_identity(pairs.V) < 1e-9);
  }
}

TEST_CASE("no unit vectors reach a higher u^T G v than the leading pair") {
  const Matrix G = random_matrix(11, 6, 9);
  const SingularPairs pairs = leading_pairs(G, 1);
  CHECK(pairs.U.col(0).dot(G * pairs.V.col(0)) == doctest::Approx(pairs.sigma[0]).epsilon(1e-12));
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Vector u = random_matrix(11, 1, seed).col(0).normalized(),
                 v = random_matrix(6, 1, seed + 1000).col(0).normalized();
    CHECK(u.dot(G * v) <= pairs.sigma[0]);
  }
}

}  // namespace
}  // namespace bzscr
