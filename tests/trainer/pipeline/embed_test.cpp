#include <bzscr_train/bzscr_train.hpp>

#include "data/formats/npy_file.h"
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <string>

namespace bzscr {
namespace {

/// Two names, and a file of three words of length 2 that has them.
struct Files : test::TemporaryFolder {
  Files() {
    test::write_bytes(names, "polar+bear\nwater lily\n");
    test::write_bytes(vectors, "lily 3 5\npolar_bear 4 0.5\nwater 6 -8\n");
  }
  const std::string names = *this / "names.txt", vectors = *this / "glove.txt";
};

TEST_CASE("names get their vectors, and what each was made of is told") {
  const Files files;
  const train::NameEmbeddings made = train::embed_names(files.names, files.vectors, "", {});
  CHECK(made.names == std::vector<std::string>{"polar+bear", "water lily"});
  CHECK(made.dimension == 2);
  CHECK(made.vectors == std::vector<float>{4, 0.5f, 4.5f, -1.5f});
  CHECK(made.used[0] == std::vector<std::string>{"polar_bear"});
  CHECK(made.used[1] == std::vector<std::string>{"water", "lily"});
  CHECK(made.format == "glove");
  CHECK(made.words == 3);
  CHECK_THROWS_WITH(train::embed_names(files.names, files.vectors, "glov", {}),
                    "format is 'glov'; expected glove, word2vec-text, word2vec-binary; did you "
                    "mean 'glove'?");
}

TEST_CASE("vectors are written as rows of a .npy file") {
  const Files files;
  const float values[] = {1, 2, 3, 4, 5, 6};
  train::write_npy(files / "out.npy", values, 2, 3);
  Matrix expected(2, 3);
  expected << 1, 2, 3, 4, 5, 6;
  CHECK(NpyFile(files / "out.npy").matrix() == expected);
}

}  // namespace
}  // namespace bzscr
