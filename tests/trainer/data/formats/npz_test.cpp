#include "data/dataset.h"

#include <bzscr_train/error.hpp>
#include "npz_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

namespace bzscr {
namespace {

using test::DataFolder;
using test::Entries;
using Numbers = std::vector<std::int64_t>;

/// An archive in the folder that it was made from.
struct Archive : DataFolder {
  Archive() : entries(test::npz_entries(*this)) {}
  std::string write(bool deflated = true) const {
    test::write_npz(*this / "data.npz", entries, deflated);
    return *this / "data.npz";
  }
  std::string& operator[](const std::string& key) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    return found != entries.end() ? found->second : entries.emplace_back(key, "").second;
  }
  void drop(const std::string& key) {
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [&](const auto& entry) { return entry.first == key; }),
                  entries.end());
  }
  Entries entries;
};

TEST_CASE("an archive, stored or deflated, reads as the same data set as the folder") {
  Archive archive;
  const Dataset folder = read_dataset(archive.path(), {});
  for (const bool deflated : {false, true}) {
    const Dataset data = read_dataset(archive.write(deflated), {});
    CHECK(data.hash == folder.hash);
    CHECK(data.folder == archive / "data.npz");
  }
  Matrix Delta = Matrix::Constant(8, 8, 0.5);
  Delta.diagonal().setZero();
  archive["divergence"] = test::npy_bytes(Delta, "<f8");
  archive["validation_classes2"] = test::npy_texts({"ant"});
  archive["synsets"] = test::npy_texts(std::vector<std::string>(8, "n00000007 a remark"));
  archive["features"] = test::npy_bytes(archive.features, "<f8", /*fortran_order=*/true);
  std::string synsets;
  for (int r = 0; r < 8; ++r) synsets += "n00000007\n";
  archive.text("synsets.txt", synsets);
  archive.npy("divergence.npy", Delta, "<f8");
  archive.text("validation_classes2.txt", "ant\n");
  archive.text("features.npy", archive["features"]);
  CHECK(read_dataset(archive.write(), {}).hash == read_dataset(archive.path(), {}).hash);
}

TEST_CASE("archives written by NumPy are read") {
  for (const char* name : {"numpy.npz", "numpy_compressed.npz"}) {
    const Dataset data =
        read_dataset(std::string(BZSCR_TEST_DATA "/formats/") + name, {"words,few"});
    CHECK(data.class_names ==
          std::vector<std::string>{"ant", "bee", "cat", "dog", "\xC3\xA9l\xC3\xA9phant", "fox"});
    CHECK(data.partition.unseen == std::vector<Index>{4, 5});
    CHECK(data.partition.validation_folds == std::vector<std::vector<Index>>{{0, 1}});
    CHECK(data.partition.held_out == std::vector<Index>{1});
    CHECK(data.embedding_parts == std::vector<Index>{3, 2});
    for (Index r = 0; r < 6; ++r)
      for (Index k = 0; k < 5; ++k)
        CHECK(data.embeddings(r, k) == static_cast<double>((5 * r + 2 * (k % 3)) % 7) / 2 + 0.5);
    REQUIRE(data.features.storage == Storage::kFloat32);
    for (Index i = 0; i < 12; ++i) {
      CHECK(data.labels[static_cast<std::size_t>(i)] == i % 6);
      for (Index j = 0; j < 4; ++j)
        CHECK(static_cast<const float*>(data.features.data)[i * 4 + j] ==
              static_cast<float>((7 * i + 3 * j) % 11) / 4 + 0.25f);
    }
  }
}

TEST_CASE("a single embedding may have the key embeddings") {
  Archive archive;
  archive["embeddings"] = archive["embeddings/words"];
  CHECK_THROWS_WITH_AS(
      read_dataset(archive.write(), {}),
      (archive / "data.npz: holds several embeddings: embeddings, words; say which one by the "
                 "option embedding, or several separated by commas")
          .c_str(),
      InputError);
  archive.drop("embeddings/words");
  CHECK(read_dataset(archive.write(), {}).embedding_name == "embeddings");
}

TEST_CASE("every kind of invalid archive is refused with its error message") {
  struct Bad {
    std::function<void(Archive&)> spoil;
    const char* message;
  };
  // clang-format off
  const Bad bads[] = {
      {[](auto& a) { a.drop("features"); }, ": holds no 'features', only classes, embeddings/words, labels, test_seen, unseen_classes, validation_classes"},
      {[](auto& a) { a["labls"] = a["labels"]; a.drop("labels"); }, ": holds no 'labels', only classes, embeddings/words, features, labls, test_seen, unseen_classes, validation_classes; did you mean 'labls'?"},
      {[](auto& a) { a.drop("classes"); }, ": holds no 'classes', only embeddings/words, features, labels, test_seen, unseen_classes, validation_classes"},
      {[](auto& a) { a.drop("embeddings/words"); }, ": holds no 'embeddings' and no 'embeddings/NAME', only classes, features, labels, test_seen, unseen_classes, validation_classes"},
      {[](auto& a) { a["features"] = "x"; }, ": features: is not a NumPy .npy file"},
      {[](auto& a) { a["features"].pop_back(); }, ": features: is truncated: 959 bytes follow the header; expected 960 for (48, 5) of float32"},
      {[](auto& a) { a["features"] = test::npy_bytes(a.features.transpose(), "<f4"); }, ": features: shape is (5, 48), but labels has 48 labels; expected (48, m); it looks transposed: save its .T"},
      {[](auto& a) { a["labels"] = test::npy_bytes(Numbers{0, 8}, "<i4"); }, ": labels: row 1 holds label 8; expected 0 to 7, the rows of classes"},
      {[](auto& a) { a["labels"] = test::npy_texts({"ant", "bea"}); }, ": labels, row 1: 'bea' is not in classes; did you mean 'bee'?"},
      {[](auto& a) { a["unseen"] = a["unseen_classes"]; a.drop("unseen_classes"); }, ": 'unseen' is not read; expected the name unseen_classes: rename it, or move it away"},
      {[](auto& a) { a["classes"] = test::npy_bytes(Numbers{0, 1}, "<i8"); }, ": classes: holds values of type '<i8'; expected text"},
      {[](auto& a) { a["classes"] = test::npy_bytes("{'descr': '|O', 'fortran_order': False, 'shape': (8,)}", "pickle"); }, ": classes: holds Python objects, which are never unpickled; expected texts: save numpy.array(names, dtype=str)"},
      {[](auto& a) { a["classes"] = test::npy_texts({"ant", "bee", "ant"}); }, ": classes, entry 2: 'ant' was already named in entry 0"},
      {[](auto& a) { a["classes"] = test::npy_texts({"ant", "", "cat"}); }, ": classes, entry 1: entry is blank; expected a class name"},
      {[](auto& a) { a["classes"] = test::npy_texts({"ant", "b\xE9", "cat"}, 'S'); }, ": classes, entry 1: is not UTF-8 text"},
      {[](auto& a) { a["classes"] = test::npy_bytes("{'descr': '<U1', 'fortran_order': False, 'shape': (2,)}", std::string("a\0\0\0\0\xD8\0\0", 8)); }, ": classes: entry 1 holds an invalid Unicode character"},
      {[](auto& a) { a["classes"] = test::npy_bytes("{'descr': '<U0', 'fortran_order': False, 'shape': (2,)}", ""); }, ": classes: holds empty texts only"},
      {[](auto& a) { a["classes"] = test::npy_bytes("{'descr': '<U9999999999999999999', 'fortran_order': False, 'shape': (2,)}", ""); }, ": classes: its text is longer than any file"},
      {[](auto& a) { a["classes"] = test::npy_bytes("{'descr': '<U99999999999999999999', 'fortran_order': False, 'shape': (2,)}", ""); }, ": classes: holds values of type '<U99999999999999999999'; expected text"},
      {[](auto& a) { a["classes"] = test::npy_bytes("{'descr': '<U1', 'fortran_order': False, 'shape': (2, 1)}", std::string("a\0\0\0b\0\0\0", 8)); }, ": classes: shape is (2, 1); expected (n,)"},
      {[](auto& a) { a["unseen_classes"] = test::npy_texts({"gnu", "hne"}); }, ": unseen_classes, entry 1: 'hne' is not in classes; did you mean 'hen'?"},
      {[](auto& a) { a["test_seen"] = test::npy_bytes(Numbers{48}, "<i8"); }, ": test_seen: sample 48 is not in 0..47, the rows of features; they seem to count from 1: save them - 1"},
      {[](auto& a) { a["synsets"] = test::npy_texts({"n00000001", "bee"}); }, ": synsets, entry 1: 'bee' is not the id of a WordNet noun; expected one such as n02129165"},
      {[](auto& a) { a["synsets"] = test::npy_texts({"n00000001"}); }, ": synsets: holds 1 ids, but there are 8 classes; expected one id per class, in their order"},
      {[](auto& a) { a["divergence"] = test::npy_bytes(Matrix::Zero(7, 7), "<f8"); }, ": divergence: shape is (7, 7); expected (8, 8), a row and a column per class"},
  };
  // clang-format on
  for (const Bad& bad : bads) {
    Archive archive;
    bad.spoil(archive);
    CHECK_THROWS_WITH_AS(read_dataset(archive.write(), {}),
                         (archive / "data.npz" + bad.message).c_str(), InputError);
  }
  const Archive archive;
  CHECK_THROWS_WITH_AS(read_dataset(archive / "none.npz", {}),
                       (archive / "none.npz: no such file").c_str(), InputError);
  archive.text("text.npz", "features");
  CHECK_THROWS_WITH_AS(
      read_dataset(archive / "text.npz", {}),
      (archive / "text.npz: is not a valid .npz archive: Not a zip archive").c_str(), InputError);
}

TEST_CASE("an archive that claims an impossible unpacked size is refused before it is unpacked") {
  Archive archive;
  std::string bytes = test::read_bytes(archive.write());
  const std::string size("\x40\x04\0\0",
                         4);  // 1088: features.npy, in its local header and in the directory
  for (std::size_t at = 0; (at = bytes.find(size, at)) != std::string::npos; at += 4)
    bytes.replace(at, 4, std::string("\xF0\xFF\xFF\x7F", 4));
  archive.text("bomb.npz", bytes);
  std::string said;
  try {
    read_dataset(archive / "bomb.npz", {});
  } catch (const InputError& error) {
    said = error.what();
  }
  CHECK(said.rfind(archive / "bomb.npz: features: claims to unpack from ", 0) == 0);
  CHECK(said.find(" to 2147483632 bytes, which is impossible") != std::string::npos);
}

TEST_CASE("a damaged archive is read or refused, whichever of its bytes are changed") {
  Archive archive;
  const std::string whole = test::read_bytes(archive.write());
  const auto read = [&](const std::string& bytes) {
    archive.text("damaged.npz", bytes);
    try {
      read_dataset(archive / "damaged.npz", {});
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).rfind(archive / "damaged.npz", 0) == 0);
    }
  };
  for (std::size_t size = 1; size < whole.size(); size += 7) read(whole.substr(0, size));
  std::mt19937 random(3);
  for (int trial = 0; trial < 1500; ++trial) {
    std::string bytes = whole;
    for (unsigned change = 0; change < 1 + random() % 4; ++change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    read(bytes);
  }
}

}  // namespace
}  // namespace bzscr
