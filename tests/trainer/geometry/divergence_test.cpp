#include "geometry/divergence.h"

#include <bzscr_train/error.hpp>
#include "trainer/core/random_problem.h"
#include "wordnet_builder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

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

TEST_CASE(
    "the cosine divergence is (1 - cos) / (1 - min cos): 0 on the diagonal, 1 for the pair "
    "farthest apart") {
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
        CHECK(Delta(a, b) ==
              doctest::Approx((1 - cosine(embeddings, a, b)) / (1 - lowest)).epsilon(1e-12));
        CHECK(Delta(a, b) >= 0);
        CHECK(Delta(a, b) <= 1);
        CHECK(Delta(a, b) == doctest::Approx(Delta(b, a)).epsilon(1e-14));
      }
    CHECK((Delta.diagonal().array() == 0).all());
    CHECK(Delta.maxCoeff() == 1);
  }
}

TEST_CASE(
    "the cosine divergence of concatenated embeddings uses the mean of their cosines, whatever "
    "their lengths") {
  Matrix joined = test::random_matrix(9, 7, 5);
  joined.leftCols(4) *= 1000;
  const Matrix left = joined.leftCols(4), right = joined.rightCols(3);
  const auto away = [&](Index a, Index b) {
    return 1 - (cosine(left, a, b) + cosine(right, a, b)) / 2;
  };
  double widest = 0;
  for (Index a = 0; a < 9; ++a)
    for (Index b = 0; b < 9; ++b) widest = std::max(widest, away(a, b));
  const Matrix Delta = cosine_divergence(joined, {4, 3});
  for (Index a = 0; a < 9; ++a)
    for (Index b = 0; b < 9; ++b)
      CHECK(Delta(a, b) == doctest::Approx(away(a, b) / widest).epsilon(1e-12));
}

TEST_CASE(
    "the cosine divergence does not depend on the length of an embedding, but changes with a "
    "shift") {
  const Matrix embeddings = test::random_matrix(5, 4, 6);
  const Vector lengths = (Vector(5) << 1e-20, 1, 3, 1e6, 1e20).finished();
  const Matrix Delta = cosine_divergence(embeddings);
  CHECK((cosine_divergence(lengths.asDiagonal() * embeddings) - Delta).cwiseAbs().maxCoeff() <
        1e-12);
  CHECK((cosine_divergence(embeddings.array() + 1) - Delta).cwiseAbs().maxCoeff() > 1e-3);
}

TEST_CASE("embeddings of the same direction have divergence zero") {
  Matrix embeddings(3, 2);
  embeddings << 1, 0, 2, 0, 0.5, 0;
  CHECK(cosine_divergence(embeddings) == Matrix::Zero(3, 3));
}

TEST_CASE("the 0-1 divergence is 1 between any two classes and 0 from a class to itself") {
  const Matrix Delta = zero_one_divergence(4);
  for (Index a = 0; a < 4; ++a)
    for (Index b = 0; b < 4; ++b) CHECK(Delta(a, b) == (a == b ? 0 : 1));
}

TEST_CASE("the divergence of a path is 1 - 1 / (SPath + 1), and 1 without a path") {
  Matrix SPath(2, 2);
  SPath << 0, 3, std::numeric_limits<double>::infinity(), 1;
  Matrix Delta(2, 2);
  Delta << 0, 0.75, 1, 0.5;
  CHECK(path_divergence(SPath) == Delta);
}

/// An eel, a cat and a dog.
Dataset three_classes() {
  Dataset data;
  data.class_names = {"eel", "cat", "dog"};
  data.embeddings = test::random_matrix(3, 4, 7);
  return data;
}

TEST_CASE("each name selects its divergence, and is recorded in the model") {
  const test::WordNetFolder folder(test::animals());
  const Dataset data = three_classes();
  CHECK(divergence_words() == std::vector<std::string>{"cosine", "wordnet", "zero-one"});
  for (const std::string& word : divergence_words()) {
    CHECK(divergence_of(data, word, folder.path()).name == word);
    CHECK(divergence_file(word).empty());
  }
  CHECK(divergence_of(data, "cosine", "").Delta == cosine_divergence(data.embeddings));
  CHECK(divergence_of(data, "zero-one", "").Delta == zero_one_divergence(3));
  const double five = 1.0 - 1.0 / 6.0, two = 1.0 - 1.0 / 3.0;
  Matrix Delta(3, 3);
  Delta << 0, five, five, five, 0, two, five, two, 0;
  const Divergence wordnet = divergence_of(data, "wordnet", folder.path());
  CHECK((wordnet.Delta - Delta).cwiseAbs().maxCoeff() < 1e-15);
  CHECK(wordnet.notes.size() == 3);
  CHECK_THROWS_AS(divergence_of(data, "wordnet", folder / "none"), InputError);
}

TEST_CASE(
    "any other text is a file, and the default is the divergence of the data set, or else cosine") {
  Dataset data = three_classes();
  CHECK(divergence_file("near/far.npy") == "near/far.npy");
  CHECK(divergence_file("").empty());
  CHECK(divergence_of(data, "", "").name == "cosine");
  data.divergence = 0.5 * zero_one_divergence(3);
  CHECK(divergence_of(data, "", "").name == "divergence.npy");
  CHECK(divergence_of(data, "near/far.npy", "").name == "far.npy");
  CHECK(divergence_of(data, "far.npy", "").Delta == *data.divergence);
  CHECK(divergence_of(data, "cosine", "").Delta == cosine_divergence(data.embeddings));
}

}  // namespace
}  // namespace bzscr
