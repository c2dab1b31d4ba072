#include "geometry/divergence.h"

#include "trainer/core/random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

namespace bzscr {
namespace {

double cosine(const Matrix& embeddings, Index a, Index b) {
  double dot = 0, aa = 0, bb = 0;
  for (Index j = 0; j < embeddings.cols(); ++j) {
    dot += embeddings(a, j) * embeddings(b, j);
    aa += embeddings(a, j) * embeddings(a, j);
    bb += embeddings(b, j) * embeddings(b, j);
  }
  return dot / std::sqrt(aa * bb);
}

TEST_CASE("the cosine divergence is (1 - cos) / (1 - min cos): 0 on the diagonal, 1 for the pair farthest apart") {
  for (const Index d : {1, 3, 40}) {
    CAPTURE(d);
    const Matrix embeddings = test::random_matrix(9, d, 5);
    const Matrix Delta = cosine_divergence(embeddings);
    double lowest = 1;
    for (Index a = 0; a < 9; ++a)
      for (Index b = 0; b < 9; ++b) lowest = std::min(lowest, cosine(embeddings, a, b));
    REQUIRE(Delta.rows() == 9);
    REQUIRE(Delta.cols() == 9);
    for (Index a = 0; a < 9; ++a)
      for (Index b = 0; b < 9; ++b) {
        CHECK(Delta(a, b) == doctest::Approx((1 - cosine(embeddings, a, b)) / (1 - lowest)).epsilon(1e-12));
        CHECK(Delta(a, b) >= 0);
        CHECK(Delta(a, b) <= 1);
        CHECK(Delta(a, b) == doctest::Approx(Delta(b, a)).epsilon(1e-14));
      }
    CHECK((Delta.diagonal().array() == 0).all());
    CHECK(Delta.maxCoeff() == 1);
  }
}

TEST_CASE("of joined embeddings the mean of the cosines counts, whatever their lengths") {
  Matrix joined = test::random_matrix(9, 7, 5);
  joined.leftCols(4) *= 1000;
  const Matrix left = joined.leftCols(4), right = joined.rightCols(3);
  const auto away = [&](Index a, Index b) { return 1 - (cosine(left, a, b) + cosine(right, a, b)) / 2; };
  double widest = 0;
  for (Index a = 0; a < 9; ++a)
    for (Index b = 0; b < 9; ++b) widest = std::max(widest, away(a, b));
  const Matrix Delta = cosine_divergence(joined, {4, 3});
  for (Index a = 0; a < 9; ++a)
    for (Index b = 0; b < 9; ++b) CHECK(Delta(a, b) == doctest::Approx(away(a, b) / widest).epsilon(1e-12));
}

TEST_CASE("the cosine divergence does not see the length of an embedding, but does see a shift") {
  const Matrix embeddings = test::random_matrix(5, 4, 6);
  const Vector lengths = (Vector(5) << 1e-20, 1, 3, 1e6, 1e20).finished();
  const Matrix Delta = cosine_divergence(embeddings);
  CHECK((cosine_divergence(lengths.asDiagonal() * embeddings) - Delta).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((cosine_divergence(embeddings.array() + 1) - Delta).cwiseAbs().maxCoeff() > 1e-3);
}

TEST_CASE("embeddings that all point the same way have no divergence at all") {
  Matrix embeddings(3, 2);
  embeddings << 1, 0, 2, 0, 0.5, 0;
  CHECK(cosine_divergence(embeddings) == Matrix::Zero(3, 3));
}

TEST_CASE("the 0-1 divergence is 1 between any two classes and 0 from a class to itself") {
  const Matrix Delta = zero_one_divergence(4);
  for (Index a = 0; a < 4; ++a)
    for (Index b = 0; b < 4; ++b) CHECK(Delta(a, b) == (a == b ? 0 : 1));
}

}  // namespace
}  // namespace bzscr
