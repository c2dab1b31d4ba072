#include "data/dataset_writer.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"
#include "npz_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bzscr {
namespace {

using test::DataFolder;

Matrix constant_divergence() {
  Matrix Delta = Matrix::Constant(8, 8, 0.1);
  Delta.diagonal().setZero();
  return Delta;
}

TEST_CASE(
    "a written data set reads as the same data set, for all optional files, storage types and "
    "orders") {
  const std::vector<std::function<void(const DataFolder&)>> kinds = {
      [](auto&) {},
      [](auto& d) { d.npy("features.npy", d.features, "<f2"); },
      [](auto& d) { d.npy("features.npy", d.features, "<f8"); },
      [](auto& d) {
        d.text("features.npy", test::npy_bytes(d.features, "<f4", /*fortran_order=*/true));
      },
      [](auto& d) { d.npy("embeddings/words.npy", d.embeddings / 3, "<f8"); },
      [](auto& d) {
        d.npy("embeddings/more.npy", d.embeddings.leftCols(1));
        d.npy("embeddings.npy", d.embeddings * 2);
      },
      [](auto& d) { d.npy("divergence.npy", constant_divergence(), "<f8"); },
      [](auto& d) {
        d.text("synsets.txt",
               "n00000001\nn00000002 a "
               "bee\nn00000003\nn00000004\nn00000005\nn00000006\nn00000007\nn00000001\n");
      },
      [](auto& d) {
        d.text("validation_classes2.txt", "ant\n");
        d.text("validation_classes3.txt", "ant\nbee\n");
      },
      [](auto& d) {
        for (const char* name : {"unseen_classes.txt", "validation_classes.txt", "test_seen.npy"})
          d.remove(name);
      },
      [](auto& d) {
        d.text("classes.txt", "ant\n\"bee\", the\ncat\ndog\neel\nfox\ngnu\nh\xC3\xA9n\n");
        d.text("unseen_classes.txt", "h\xC3\xA9n\n");
      },
  };
  DatasetOptions all;
  all.all_embeddings = true;
  for (const auto& kind : kinds) {
    const DataFolder folder;
    kind(folder);
    const Dataset data = read_dataset(folder.path(), all);
    write_dataset(data, folder / "out", false);
    CHECK(read_dataset(folder / "out", all).hash == data.hash);
  }
}

TEST_CASE("an embedding whose name leads out of the folder is refused") {
  const DataFolder folder;
  for (const char* name : {"../escaped", "a/b", ""}) {
    CAPTURE(name);
    test::Entries entries = test::npz_entries(folder);
    for (auto& entry : entries)
      if (entry.first == "embeddings/words") entry.first = std::string("embeddings/") + name;
    test::write_npz(folder / "data.npz", entries);
    DatasetOptions all;
    all.all_embeddings = true;
    try {
      write_dataset(read_dataset(folder / "data.npz", all), folder / "deep/out", false);
    } catch (const InputError&) {}
    CHECK_FALSE(std::filesystem::exists(folder / "deep"));
    CHECK_FALSE(std::filesystem::exists(folder / "escaped.npy"));
  }
}

TEST_CASE("only a folder that holds nothing but a data set is replaced") {
  const DataFolder folder;
  const Dataset data = read_dataset(folder.path(), {});
  write_dataset(data, folder / "out", false);
  CHECK_THROWS_AS(expect_free_for_dataset(folder / "out", false), InputError);
  folder.text("out/validation_classes7.txt", "");
  expect_free_for_dataset(folder / "out", true);
  for (const char* name :
       {"notes.txt", "embeddings/readme.md", "model.bzscr", "embeddings/deep/x.npy"}) {
    folder.text(std::string("out/") + name, "mine");
    CHECK_THROWS_AS(expect_free_for_dataset(folder / "out", true), InputError);
    folder.remove(std::string("out/") + name);
  }
}

}  // namespace
}  // namespace bzscr
