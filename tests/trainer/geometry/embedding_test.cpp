#include "geometry/embedding.h"

#include <bzscr_train/error.hpp>
#include "trainer/core/random_problem.h"

#include <doctest/doctest.h>

#include <limits>

namespace bzscr {
namespace {

using test::random_matrix;

const std::vector<std::string> kNames = {"ant", "bee", "cat", "dog", "eel", "fox"};

TEST_CASE("the centre is the mean of only the seen classes, rounded to float32") {
  Matrix embeddings = random_matrix(6, 4, 1);
  const std::vector<Index> seen = {0, 2, 3, 5};
  const EmbeddingTransform transform =
      fit_transform(EmbeddingScaling::kCentreUnit, embeddings, seen);
  REQUIRE(transform.centre.size() == 4);
  for (Index j = 0; j < 4; ++j) {
    const double mean =
        (embeddings(0, j) + embeddings(2, j) + embeddings(3, j) + embeddings(5, j)) / 4;
    CHECK(transform.centre[j] == doctest::Approx(mean).epsilon(1e-6));
    CHECK(transform.centre[j] == static_cast<double>(static_cast<float>(transform.centre[j])));
  }
  embeddings.row(1).setConstant(std::numeric_limits<double>::quiet_NaN());
  embeddings.row(4).setConstant(1e30);
  CHECK(fit_transform(EmbeddingScaling::kCentreUnit, embeddings, seen).centre == transform.centre);
}

TEST_CASE("embeddings are centred and scaled by the transform") {
  const Matrix embeddings = random_matrix(6, 4, 2);
  const std::vector<Index> seen = {0, 1, 2};
  const auto transformed = [&](EmbeddingScaling scaling) {
    return transform_embeddings(fit_transform(scaling, embeddings, seen), embeddings, kNames);
  };
  CHECK(transformed(EmbeddingScaling::kNone) == embeddings);
  const Matrix unit = transformed(EmbeddingScaling::kUnit),
               centred = transformed(EmbeddingScaling::kCentreUnit);
  const Vector centre = fit_transform(EmbeddingScaling::kCentreUnit, embeddings, seen).centre;
  for (Index r = 0; r < 6; ++r) {
    CHECK((unit.row(r) - embeddings.row(r) / embeddings.row(r).norm()).norm() < 1e-15);
    const Vector moved = embeddings.row(r).transpose() - centre;
    CHECK((centred.row(r).transpose() - moved / moved.norm()).norm() < 1e-15);
  }
  CHECK(fit_transform(EmbeddingScaling::kUnit, embeddings, seen).centre.size() == 0);
  CHECK(fit_transform(EmbeddingScaling::kNone, embeddings, seen).centre.size() == 0);
}

TEST_CASE("a class whose embedding equals the centre is refused by name") {
  Matrix embeddings(3, 2);
  embeddings << 1, 2, 3, 4, 2, 3;
  const EmbeddingTransform transform =
      fit_transform(EmbeddingScaling::kCentreUnit, embeddings, {0, 1});
  CHECK_THROWS_WITH_AS(
      transform_embeddings(transform, embeddings, kNames),
      "embedding of class 'cat' equals the mean of the seen classes, so its length after centring "
      "is zero; expected another embedding, or the option embedding_scaling unit",
      InputError);
  CHECK(transform_embeddings(fit_transform(EmbeddingScaling::kUnit, embeddings, {0, 1}), embeddings,
                             kNames)
            .allFinite());

  Matrix joined(3, 3);
  joined << 7, 1, 2, 8, 3, 4, 9, 2, 3;  // of the last class only the second part does
  CHECK_THROWS_WITH_AS(
      transform_embeddings(fit_transform(EmbeddingScaling::kCentreUnit, joined, {0, 1}, {1, 2}),
                           joined, kNames),
      "embedding 2 of 2 of class 'cat' equals the mean of the seen classes, so its length after "
      "centring is zero; "
      "expected another embedding, or the option embedding_scaling unit",
      InputError);
}

TEST_CASE("concatenated embeddings are transformed separately and then concatenated") {
  Matrix embeddings = random_matrix(6, 7, 3);
  embeddings.leftCols(4) *= 1000;
  const std::vector<Index> seen = {0, 1, 2, 4};
  for (const EmbeddingScaling scaling :
       {EmbeddingScaling::kNone, EmbeddingScaling::kUnit, EmbeddingScaling::kCentreUnit}) {
    const auto alone = [&](const Matrix& part) {
      return transform_embeddings(fit_transform(scaling, part, seen), part, kNames);
    };
    const Matrix joined = transform_embeddings(fit_transform(scaling, embeddings, seen, {4, 1, 2}),
                                               embeddings, kNames);
    CHECK(joined.leftCols(4) == alone(embeddings.leftCols(4)));
    CHECK(joined.middleCols(4, 1) == alone(embeddings.middleCols(4, 1)));
    CHECK(joined.rightCols(2) == alone(embeddings.rightCols(2)));
  }
}

TEST_CASE(
    "coordinates in the span keep every inner product of differences, in the least number of "
    "dimensions") {
  const struct {
    Index C, d;
  } shapes[] = {{6, 20}, {6, 6}, {6, 5}, {6, 3}, {2, 7}, {2, 1}, {30, 4}};
  for (const auto& [C, d] : shapes) {
    CAPTURE(C);
    CAPTURE(d);
    const Matrix Phi = random_matrix(C, d, 4);
    const ReducedEmbedding reduced = reduce_to_span(Phi);
    const Index p = reduced.coordinates.cols();
    CHECK(p == std::min(d, C - 1));
    CHECK(reduced.coordinates.rows() == C);
    CHECK(reduced.basis.rows() == d);
    CHECK(
        (reduced.basis.transpose() * reduced.basis - Matrix::Identity(p, p)).cwiseAbs().maxCoeff() <
        1e-13);
    for (Index a = 0; a < C; ++a)
      for (Index b = 0; b < C; ++b) {
        const Vector full = Phi.row(a) - Phi.row(b),
                     small = reduced.coordinates.row(a) - reduced.coordinates.row(b);
        CHECK((reduced.basis * small - full).norm() < 1e-12);
        CHECK(small.norm() == doctest::Approx(full.norm()).epsilon(1e-12));
      }
  }
}

TEST_CASE("embeddings in a smaller span are reduced to finite and exact coordinates") {
  const Matrix Phi = random_matrix(8, 2, 5) * random_matrix(2, 30, 6);  // rank 2 in 30 dimensions
  Matrix repeated = Phi;
  repeated.row(3) = repeated.row(1);
  for (const Matrix& rows : {Phi, repeated}) {
    const ReducedEmbedding reduced = reduce_to_span(rows);
    CHECK(reduced.coordinates.allFinite());
    const Index p = reduced.basis.cols();
    CHECK(
        (reduced.basis.transpose() * reduced.basis - Matrix::Identity(p, p)).cwiseAbs().maxCoeff() <
        1e-12);
    for (Index r = 1; r < 8; ++r)
      CHECK((reduced.basis * (reduced.coordinates.row(r) - reduced.coordinates.row(0)).transpose() -
             (rows.row(r) - rows.row(0)).transpose())
                .norm() < 1e-11);
  }
}

}  // namespace
}  // namespace bzscr
