#include "data/dataset.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"
#include "npz_files.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <string>

namespace bzscr {
namespace {

using test::DataFolder;
using test::with;
using Numbers = std::vector<std::int64_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix good_divergence() {
  Matrix Delta = Matrix::Constant(8, 8, 0.5);
  Delta.diagonal().setZero();
  return Delta;
}

// One kind of bad data set: what is done to a good one, and the sentence that it gets after the
// folder.
struct BadDataSet {
  std::string kind;
  std::function<void(const DataFolder&)> spoil;
  const char* message;
  const char* embedding = "";
};

const char* const kHolds =
    "expected a data set: a folder of features.npy, labels.npy, classes.txt and "
    "embeddings/NAME.npy, or another of the data set formats";

// clang-format off
const BadDataSet kBadDataSets[] = {
    // Files
    {"empty folder", [](auto& d) { for (auto& e : std::filesystem::directory_iterator(d.path())) std::filesystem::remove_all(e); }, ": is empty; HOLDS"},
    {"no features", [](auto& d) { d.remove("features.npy"); }, "/features.npy: no such file; HOLDS"},
    {"no labels", [](auto& d) { d.remove("labels.npy"); }, "/labels.npy: no such file; HOLDS"},
    {"no class names", [](auto& d) { d.remove("classes.txt"); }, "/classes.txt: no such file; HOLDS"},
    {"no embeddings folder", [](auto& d) { d.remove("embeddings"); }, "/embeddings: holds no .npy, .csv or .tsv file; HOLDS"},
    {"features are a folder", [](auto& d) { d.remove("features.npy"); d.text("features.npy/x", ""); }, "/features.npy: is a folder; expected a file"},
    {"labels are empty", [](auto& d) { d.text("labels.npy", ""); }, "/labels.npy: is empty"},
    {"features are an archive", [](auto& d) { d.text("features.npy", "PK\x03\x04xxxxxx"); }, "/features.npy: is an .npz archive; expected a single array saved with numpy.save"},
    {"features are text", [](auto& d) { d.text("features.npy", "1,2,3\n4,5,6\n"); }, "/features.npy: is not a NumPy .npy file"},
    {"features are cut short", [](auto& d) { d.text("features.npy", test::read_bytes(d / "features.npy").substr(0, 500)); }, "/features.npy: is truncated: 372 bytes follow the header; expected 960 for (48, 5) of float32"},
    {"features have bytes after them", [](auto& d) { d.text("features.npy", test::read_bytes(d / "features.npy") + "x"); }, "/features.npy: is too long: 961 bytes follow the header; expected 960 for (48, 5) of float32"},
    // Class names and lists
    {"blank class name", [](auto& d) { d.text("classes.txt", "ant\n\ncat\n"); }, "/classes.txt:2: line is blank; expected a class name"},
    {"class named twice", [](auto& d) { d.text("classes.txt", "ant\nbee\nant\n"); }, "/classes.txt:3: 'ant' was already named in line 1"},
    {"class names not UTF-8", [](auto& d) { d.text("classes.txt", "ant\nb\xE9\n"); }, "/classes.txt:2: is not UTF-8 text"},
    {"one class", [](auto& d) { d.text("classes.txt", "ant\n"); }, "/classes.txt: names only one class; expected at least 2"},
    {"unknown unseen class", [](auto& d) { d.text("unseen_classes.txt", "gnu\nhne\n"); }, "/unseen_classes.txt:2: 'hne' is not in classes.txt; did you mean 'hen'?"},
    {"unseen class twice", [](auto& d) { d.text("unseen_classes.txt", "gnu\ngnu\n"); }, "/unseen_classes.txt:2: 'gnu' was already named in line 1"},
    {"no unseen class in the list", [](auto& d) { d.text("unseen_classes.txt", ""); }, "/unseen_classes.txt: is empty"},
    {"unknown validation class", [](auto& d) { d.text("validation_classes.txt", "whale\n"); }, "/validation_classes.txt:1: 'whale' is not in classes.txt"},
    {"validation class is unseen", [](auto& d) { d.text("validation_classes.txt", "fox\nhen\n"); }, "/validation_classes.txt: 'hen' is also in unseen_classes.txt; expected seen classes, as hyper-parameters are never chosen on unseen ones"},
    // Labels
    {"label with a fraction", [](auto& d) { Matrix y = Matrix::Ones(48, 1); y(17, 0) = 1.5; d.npy("labels.npy", y, "<f8"); }, "/labels.npy: row 17 is 1.5; expected a whole number"},
    {"labels are one-hot", [](auto& d) { d.npy("labels.npy", Matrix::Zero(48, 8), "|u1"); }, "/labels.npy: shape is (48, 8); expected (n,) or (n, 1); it looks one-hot: save labels.argmax(axis=1)"},
    {"unknown name as a label", [](auto& d) { d.text("labels.npy", test::npy_bytes("{'descr': '|S3', 'fortran_order': False, 'shape': (2,)}", "antbea")); }, "/labels.npy, row 1: 'bea' is not in classes.txt; did you mean 'bee'?"},
    {"labels.csv with more columns", [](auto& d) { d.remove("labels.npy"); d.text("labels.csv", "class,x\nant,1\n"); }, "/labels.csv: has 2 columns; expected one, 'class'"},
    {"no labels in the file", [](auto& d) { d.npy("labels.npy", Numbers{}); }, "/labels.npy: holds no labels"},
    {"negative label", [](auto& d) { d.npy("labels.npy", with(d.labels, 17, -3)); }, "/labels.npy: row 17 holds label -3; expected 0 to 7, the rows of classes.txt"},
    {"label too high", [](auto& d) { d.npy("labels.npy", with(d.labels, 17, 53)); }, "/labels.npy: row 17 holds label 53; expected 0 to 7, the rows of classes.txt"},
    {"label beyond int64", [](auto& d) { d.text("labels.npy", test::npy_bytes("{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}", std::string(8, '\xff'))); }, "/labels.npy: row 0 holds label 9223372036854775807; expected 0 to 7, the rows of classes.txt"},
    {"labels from one", [](auto& d) { Numbers y = d.labels; for (auto& each : y) ++each; d.npy("labels.npy", y); }, "/labels.npy: row 7 holds label 8; expected 0 to 7, the rows of classes.txt; labels seem to count from 1: save labels - 1"},
    {"fewer labels than features", [](auto& d) { d.npy("labels.npy", Numbers(47, 0)); }, "/features.npy: shape is (48, 5), but labels.npy has 47 labels; expected (47, m)"},
    // Features
    {"features transposed", [](auto& d) { d.npy("features.npy", d.features.transpose()); }, "/features.npy: shape is (5, 48), but labels.npy has 48 labels; expected (48, m); it looks transposed: save its .T"},
    {"features of one dimension", [](auto& d) { d.npy("features.npy", Numbers(48, 1), "<f4"); }, "/features.npy: shape (48,) has 1 dimension; expected 2: samples x features"},
    {"features are integers", [](auto& d) { d.npy("features.npy", d.features, "<i4"); }, "/features.npy: holds int32; expected float16, float32 or float64: save features.astype('float32')"},
    {"features are big-endian", [](auto& d) { d.npy("features.npy", d.features, ">f8"); }, "/features.npy: is big-endian, but features are used in place: save features.astype('<f8')"},
    {"no features in the file", [](auto& d) { d.npy("features.npy", Matrix(48, 0)); }, "/features.npy: shape is (48, 0): there are no features"},
    {"NaN feature", [](auto& d) { d.npy("features.npy", with(d.features, 30, 4, kNaN)); }, "/features.npy: row 30, column 4 is nan; expected finite values within float32"},
    {"infinite feature, float16, by columns", [](auto& d) { d.text("features.npy", test::npy_bytes(with(d.features, 3, 1, -kInfinity), "<f2", true)); }, "/features.npy: row 3, column 1 is -inf; expected finite values within float32"},
    {"feature beyond float32", [](auto& d) { d.npy("features.npy", with(d.features, 2, 0, 1e39), "<f8"); }, "/features.npy: row 2, column 0 is 1e+39; expected finite values within float32"},
    {"zero feature row", [](auto& d) { Matrix X = d.features; X.row(9).setZero(); d.npy("features.npy", X); }, "/features.npy: row 9 is all zero; expected at least one nonzero feature"},
    {"feature row zero in float32", [](auto& d) { Matrix X = d.features; X.row(9).setConstant(1e-60); d.npy("features.npy", X, "<f8"); }, "/features.npy: row 9 has values up to 1e-60, which are zero in float32; expected one of 1.2e-38 or more"},
    // Samples held out
    {"test row too high", [](auto& d) { d.npy("test_seen.npy", Numbers{1, 48}); }, "/test_seen.npy: sample 48 is not in 0..47, the rows of features.npy; they seem to count from 1: save them - 1"},
    {"test row negative", [](auto& d) { d.npy("test_seen.npy", Numbers{-1}); }, "/test_seen.npy: sample -1 is not in 0..47, the rows of features.npy"},
    {"test row twice", [](auto& d) { d.npy("test_seen.npy", Numbers{1, 2, 1}); }, "/test_seen.npy: sample 1 is named twice"},
    {"test row of an unseen class", [](auto& d) { d.npy("test_seen.npy", Numbers{1, 14}); }, "/test_seen.npy: sample 14 is of the unseen class 'gnu'; expected samples of seen classes"},
    {"test rows as a mask", [](auto& d) { d.npy("test_seen.npy", Numbers(48, 0), "|b1"); }, "/test_seen.npy: holds bool, a mask; expected the numbers of rows: save numpy.flatnonzero(mask)"},
    {"test rows as a mask of integers", [](auto& d) { d.npy("test_seen.npy", Numbers(48, 1)); }, "/test_seen.npy: sample 1 is named twice; it looks like a mask: save the numbers of the rows, numpy.flatnonzero(mask)"},
    // Embeddings
    {"embeddings are a file", [](auto& d) { d.remove("embeddings"); d.text("embeddings", "x"); }, "/embeddings: cannot be read: Not a directory"},
    {"several embeddings, none named", [](auto& d) { d.npy("embeddings/more.npy", d.embeddings); }, "/embeddings: holds several embeddings: more, words; say which one by the option embedding, or several separated by commas"},
    {"unknown embedding", [](auto&) {}, "/embeddings: holds no embedding 'word', only words; did you mean 'words'?", "word"},
    {"embeddings transposed", [](auto& d) { d.npy("embeddings/words.npy", d.embeddings.transpose()); }, "/embeddings/words.npy: shape is (3, 8), but classes.txt names 8 classes; expected (8, d); it looks transposed: save its .T"},
    {"too few embeddings", [](auto& d) { d.npy("embeddings/words.npy", d.embeddings.topRows(7)); }, "/embeddings/words.npy: shape is (7, 3), but classes.txt names 8 classes; expected (8, d)"},
    {"embeddings without columns", [](auto& d) { d.npy("embeddings/words.npy", Matrix(8, 0)); }, "/embeddings/words.npy: shape is (8, 0): the embeddings have no length"},
    {"embeddings of one dimension", [](auto& d) { d.npy("embeddings/words.npy", Numbers(8, 1)); }, "/embeddings/words.npy: shape (8,) has 1 dimension; expected 2: rows x columns"},
    {"pickled embeddings", [](auto& d) { d.text("embeddings/words.npy", test::npy_bytes("{'descr': '|O', 'fortran_order': False, 'shape': (8, 3)}", "pickle")); }, "/embeddings/words.npy: holds Python objects, which are never unpickled; expected plain numbers: save numpy.array(values, dtype=float)"},
    {"NaN in an embedding", [](auto& d) { d.npy("embeddings/words.npy", with(d.embeddings, 2, 1, kNaN)); }, "/embeddings/words.npy: row 2 ('cat'), column 1 is nan; expected finite values within float32"},
    {"zero embedding", [](auto& d) { Matrix phi = d.embeddings; phi.row(6).setZero(); d.npy("embeddings/words.npy", phi); }, "/embeddings/words.npy: row 6 ('gnu') is all zero; expected an embedding for every class"},
    {"missing attributes as -1", [](auto& d) { d.npy("embeddings/words.npy", with(d.embeddings.cwiseAbs(), 5, 2, -1)); }, "/embeddings/words.npy: row 5 ('fox'), column 2 is -1 while no other value is negative, so it seems to mean \"missing\"; choose what it means by the option missing: mean, zero or keep"},
    {"embedding named twice", [](auto&) {}, "embedding names 'words' twice; expected each name once", "words,words"},
    {"no embedding between commas", [](auto&) {}, "/embeddings: holds no embedding '', only words", "words,"},
    {"embedding zero in float32", [](auto& d) { Matrix phi = d.embeddings; phi.row(6).setConstant(1e-60); d.npy("embeddings/words.npy", phi, "<f8"); }, "/embeddings/words.npy: row 6 ('gnu') has values up to 1e-60, which are zero in float32; expected one of 1.2e-38 or more for every class"},
    // Files that are not read, as their names are slips
    {"list of another extension", [](auto& d) { d.remove("unseen_classes.txt"); d.text("unseen_classes.csv", "gnu\n"); }, ": 'unseen_classes.csv' is not read; expected the name unseen_classes.txt: rename it, or move it away"},
    {"list of a shorter name", [](auto& d) { d.remove("unseen_classes.txt"); d.text("unseen.txt", "gnu\n"); }, ": 'unseen.txt' is not read; expected the name unseen_classes.txt: rename it, or move it away"},
    {"rows of another extension", [](auto& d) { d.remove("test_seen.npy"); d.text("test_seen.txt", "1\n"); }, ": 'test_seen.txt' is not read; expected the name test_seen.npy: rename it, or move it away"},
    {"divergence as a table", [](auto& d) { d.text("divergence.csv", "0\n"); }, ": 'divergence.csv' is not read; expected the name divergence.npy: rename it, or move it away"},
    {"typo in a name", [](auto& d) { d.remove("validation_classes.txt"); d.text("Validaton-Classes.txt", "eel\n"); }, ": 'Validaton-Classes.txt' is not read; expected the name validation_classes.txt: rename it, or move it away"},
    {"compressed list", [](auto& d) { d.text("synsets.txt.gz", "x"); }, ": 'synsets.txt.gz' is not read; expected the name synsets.txt, unpacked: rename it, or move it away"},
    {"labels as text", [](auto& d) { d.remove("labels.npy"); d.text("labels.txt", "ant\n"); }, ": 'labels.txt' is not read; expected the name labels.npy: rename it, or move it away"},
    // Divergence
    {"divergence of another size", [](auto& d) { d.npy("divergence.npy", Matrix::Zero(7, 7)); }, "/divergence.npy: shape is (7, 7); expected (8, 8), a row and a column per class"},
    {"divergence above one", [](auto& d) { d.npy("divergence.npy", with(good_divergence(), 1, 2, 2.0)); }, "/divergence.npy: row 1 ('bee'), column 2 ('cat') is 2; expected values in 0..1"},
    {"divergence negative", [](auto& d) { d.npy("divergence.npy", with(good_divergence(), 1, 2, -0.5)); }, "/divergence.npy: row 1 ('bee'), column 2 ('cat') is -0.5; expected values in 0..1"},
    {"divergence NaN", [](auto& d) { d.npy("divergence.npy", with(good_divergence(), 1, 2, kNaN)); }, "/divergence.npy: row 1 ('bee'), column 2 ('cat') is nan; expected values in 0..1"},
    {"divergence from itself", [](auto& d) { d.npy("divergence.npy", with(good_divergence(), 3, 3, 0.25)); }, "/divergence.npy: row 3 ('dog') has 0.25 on the diagonal; expected 0 for equal classes"},
    // Synsets
    {"name for a synset", [](auto& d) { d.text("synsets.txt", "n00000001\nbee\n"); }, "/synsets.txt:2: 'bee' is not the id of a WordNet noun; expected one such as n02129165"},
    {"too few synsets", [](auto& d) { d.text("synsets.txt", "n00000001\n"); }, "/synsets.txt: holds 1 ids, but there are 8 classes; expected one id per class, in their order"},
};
// clang-format on

TEST_CASE("every kind of invalid data set is refused with its error message") {
  for (const BadDataSet& bad : kBadDataSets) {
    CAPTURE(bad.kind);
    const DataFolder folder;
    bad.spoil(folder);
    std::string expected =
        (bad.message[0] == '/' || bad.message[0] == ':' ? folder.path() : "") + bad.message;
    if (const std::size_t at = expected.find("HOLDS"); at != std::string::npos)
      expected.replace(at, 5, kHolds);
    CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {bad.embedding}), expected.c_str(),
                         InputError);
  }
}

TEST_CASE("a path that is neither a folder nor an archive is refused") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "file", "x");
  CHECK_THROWS_WITH_AS(read_dataset(folder / "none", {}), (folder / "none: no such folder").c_str(),
                       InputError);
  CHECK_THROWS_WITH_AS(
      read_dataset(folder / "file", {}),
      (folder / "file: is neither a folder nor an .npz archive; " + kHolds).c_str(), InputError);
}

TEST_CASE("a valid folder is read as a data set") {
  const DataFolder folder;
  folder.npy("divergence.npy", good_divergence(), "<f8");
  const Dataset data = read_dataset(folder.path(), {});

  CHECK(data.folder == folder.path());
  CHECK(data.features.rows == 48);
  CHECK(data.features.columns == 5);
  CHECK(data.class_names == folder.class_names);
  CHECK(data.embedding_name == "words");
  CHECK(data.embeddings == folder.embeddings);
  CHECK(data.partition.unseen == std::vector<Index>{6, 7});
  CHECK(data.partition.validation_folds == std::vector<std::vector<Index>>{{4, 5}});
  CHECK(data.partition.held_out == std::vector<Index>{40, 41, 42});
  REQUIRE(data.divergence.has_value());
  CHECK(*data.divergence == good_divergence());
  CHECK(data.synsets.empty());
  CHECK(data.notes.empty());
  for (std::size_t i = 0; i < data.labels.size(); ++i) CHECK(data.labels[i] == folder.labels[i]);
  for (Index i = 0; i < 48; ++i)
    CHECK(data.feature_norms[i] == doctest::Approx(folder.features.row(i).norm()).epsilon(1e-12));
}

TEST_CASE("labels may be whole numbers of any type, or the names of classes") {
  const DataFolder folder;
  const auto hash = read_dataset(folder.path(), {}).hash;
  std::vector<std::string> names;
  std::string column = "class\n", rows = "label\n";
  for (const auto r : folder.labels) {
    names.push_back(folder.class_names[static_cast<std::size_t>(r)]);
    column += names.back() + "\n";
    rows += std::to_string(r) + "\n";
  }
  for (const char* descr : {"<f8", "<f4", ">f2", "<u2"}) {
    CAPTURE(descr);
    folder.npy("labels.npy", folder.labels, descr);
    CHECK(read_dataset(folder.path(), {}).hash == hash);
  }
  for (const char kind : {'U', 'S'}) {
    folder.text("labels.npy", test::npy_texts(names, kind));
    CHECK(read_dataset(folder.path(), {}).hash == hash);
  }
  folder.remove("labels.npy");
  for (const std::string& table : {column, rows}) {
    folder.text("labels.csv", table);
    CHECK(read_dataset(folder.path(), {}).hash == hash);
  }
}

TEST_CASE("labels may be bool if there are two classes") {
  const DataFolder folder;
  folder.text("classes.txt", "ant\nbee\n");
  for (const char* name : {"unseen_classes.txt", "validation_classes.txt", "test_seen.npy"})
    folder.remove(name);
  Numbers labels(48, 0);
  labels[3] = 1;
  folder.npy("labels.npy", labels, "|b1");
  folder.npy("embeddings/words.npy", folder.embeddings.topRows(2));
  CHECK(read_dataset(folder.path(), {}).labels[3] == 1);
}

/// The only note of a data set, after the path of its folder.
std::string note_of(const DataFolder& folder) {
  const std::vector<std::string> notes = read_dataset(folder.path(), {}).notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].rfind(folder.path(), 0) == 0);
  return notes[0].substr(folder.path().size());
}

TEST_CASE("without a list of unseen classes those without samples are unseen, with a note") {
  const DataFolder folder;
  folder.remove("unseen_classes.txt");
  Numbers labels = folder.labels;
  for (auto& label : labels) label = label >= 5 ? 0 : label;  // validation class 5 has none either
  folder.npy("labels.npy", labels);
  CHECK(read_dataset(folder.path(), {}).partition.unseen == std::vector<Index>{6, 7});
  CHECK(read_dataset(folder.path(), {}).notes[0] ==
        folder /
            "labels.npy: 2 of 8 classes have no sample, and no list unseen_classes is given, so "
            "they are unseen: gnu, hen");
  folder.text("unseen_classes.txt", "hen\n");
  CHECK(read_dataset(folder.path(), {}).partition.unseen == std::vector<Index>{7});
}

TEST_CASE("labels that may count from one are said to, also if the last classes have no sample") {
  const DataFolder folder;
  Numbers labels = folder.labels;
  for (auto& label : labels) label = label % 6 + 1;  // 1 to 6 of 0 to 7
  folder.npy("labels.npy", labels);
  folder.text("unseen_classes.txt", "hen\n");
  CHECK(read_dataset(folder.path(), {}).notes ==
        std::vector<std::string>{"1 of 7 seen classes has no training sample: ant; no label is 0: "
                                 "if labels count from 1, save labels - 1"});
  folder.remove("unseen_classes.txt");
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {}),
      (folder / "labels.npy: the lowest label is 1, and no sample is of class 0 ('ant'), while no "
                "list says which classes are unseen; expected labels from 0 (save labels - 1 if "
                "these count from 1), or the list unseen_classes")
          .c_str(),
      InputError);
}

TEST_CASE("valid data that is hardly meant is noted, with names and counts") {
  const DataFolder folder;
  Matrix X = folder.features, phi = folder.embeddings;
  SUBCASE("identical samples of different classes") {
    X.row(9) = X.row(2);
    X.row(8) = X.row(0);  // of the same class
    X.row(21) = X.row(2);
    folder.npy("features.npy", X);
    CHECK(note_of(folder) ==
          "/features.npy: 2 pairs of samples have identical features and different labels: 2 "
          "('cat') and 9 ('bee'), 2 ('cat') and 21 ('fox')");
  }
  SUBCASE("columns of one value") {
    X.col(1).setConstant(0.25);
    X.col(3).setConstant(0);
    folder.npy("features.npy", X);
    CHECK(note_of(folder) == "/features.npy: 2 of 5 columns hold one value in all samples: 1, 3");
  }
  SUBCASE("a column that carries nearly all of the length") {
    X.col(2) = 1e5 * (X.col(2).array().abs() + 1);
    folder.npy("features.npy", X);
    CHECK(note_of(folder) ==
          "/features.npy: column 2 carries 99.9 % of the squared length of the samples, so that "
          "little is left of the others in samples of unit length; training standardises the "
          "columns unless it is told another scaling");
  }
  SUBCASE("an embedding column that carries nearly all of the length") {
    phi.col(1) *= 1e5;
    folder.npy("embeddings/words.npy", phi);
    CHECK(note_of(folder) ==
          "/embeddings/words.npy: column 1 carries 99.9 % of the squared length of the centred "
          "embeddings, which are scaled to unit length, so that little is left of the others; "
          "rescale the columns");
  }
  SUBCASE("classes of the same embedding") {
    phi.row(7) = phi.row(3);
    folder.npy("embeddings/words.npy", phi);
    CHECK(
        note_of(folder) ==
        "/embeddings/words.npy: 1 of 8 classes have the embedding of another class, from which no "
        "sample can tell them: 'dog' and 'hen'");
  }
  SUBCASE("a file whose name begins like one that is missing") {
    folder.remove("test_seen.npy");
    folder.text("test.npy", "x");
    CHECK(note_of(folder) ==
          ": 'test.npy' is not read; if it should be, its name is test_seen.npy");
  }
  SUBCASE("a gap between lists of validation classes") {
    folder.text("validation_classes3.txt", "dog\n");
    CHECK(note_of(folder) ==
          ": 'validation_classes3.txt' is not read, as there is no validation_classes2.txt");
  }
}

TEST_CASE("files of other names and copies of files that are there are not mentioned") {
  const DataFolder folder;
  for (const char* name : {"README.md", "labels_old.npy", "unseen.txt", "notes.txt", "run.log",
                           "classes.bak", "test_unseen.npy", "embeddings/words.txt"})
    folder.text(name, "x");
  CHECK(read_dataset(folder.path(), {}).notes.empty());
}

TEST_CASE("the columns of many samples are compared in a sample of the rows") {
  const DataFolder folder;
  Matrix X(30011, 40);
  for (Index i = 0; i < X.size(); ++i) X.data()[i] = std::sin(static_cast<double>(i));
  X.col(5).setConstant(0.5);
  X.col(6).setConstant(0);  // may be so by chance
  X.row(20003) = X.row(17);
  Numbers labels(static_cast<std::size_t>(X.rows()), 1);
  labels[17] = 2;
  folder.npy("labels.npy", labels);
  folder.npy("features.npy", X);
  const std::vector<std::string> notes = read_dataset(folder.path(), {}).notes;
  REQUIRE(notes.size() == 3);
  CHECK(notes[1] == folder /
                        "features.npy: 1 pair of samples has identical features and different "
                        "labels: 17 ('cat') and 20003 ('bee')");
  CHECK(notes[2] ==
        folder / "features.npy: 1 of 40 columns holds one value in all of 64 samples compared: 5");
}

TEST_CASE("a note names the first few entries of a long list and the number of the others") {
  const DataFolder folder;
  std::string classes;
  for (int r = 0; r < 1000; ++r) classes += "class" + std::to_string(r) + "\n";
  folder.text("classes.txt", classes);
  folder.remove("validation_classes.txt");
  folder.text("unseen_classes.txt", "class6\nclass7\n");
  Matrix phi(1000, 2);
  for (Index i = 0; i < phi.size(); ++i) phi.data()[i] = std::cos(static_cast<double>(i));
  folder.npy("embeddings/words.npy", phi);
  CHECK(read_dataset(folder.path(), {}).notes ==
        std::vector<std::string>{
            "992 of 998 seen classes have no training sample: class8, class9, class10, class11, "
            "class12, class13, class14, class15, class16, class17 and 982 more"});
}

TEST_CASE("a file that stands for another one is refused with the remedy, whatever it should be") {
  const char* const pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
  for (const char* name :
       {"features.npy", "labels.npy", "classes.txt", "embeddings/words.npy", "unseen_classes.txt",
        "test_seen.npy", "divergence.npy", "synsets.txt", "res101.mat"}) {
    CAPTURE(name);
    const DataFolder folder;
    folder.text(name, pointer);
    if (std::string(name) == "res101.mat") {
      folder.remove("features.npy");
      folder.text("att_splits.mat", pointer);
      name = "att_splits.mat";
    }
    CHECK_THROWS_WITH_AS(
        read_dataset(folder.path(), {}),
        (folder / name + ": is a pointer of Git LFS; expected the file itself: git lfs pull")
            .c_str(),
        InputError);
  }
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "zoo.npz", pointer);
  CHECK_THROWS_WITH_AS(
      read_dataset(folder / "zoo.npz", {}),
      (folder / "zoo.npz: is a pointer of Git LFS; expected the file itself: git lfs pull").c_str(),
      InputError);
  test::write_bytes(folder / "zoo.7z", "7z\xBC\xAF\x27\x1C");
  CHECK_THROWS_WITH_AS(
      read_dataset(folder / "zoo.7z", {}),
      (folder / "zoo.7z: is compressed by 7-Zip; expected it unpacked: 7z x").c_str(), InputError);
}

TEST_CASE("a given divergence file replaces that of the folder") {
  const DataFolder folder;
  folder.npy("divergence.npy", good_divergence());
  const Matrix other = 0.5 * good_divergence();
  folder.npy("elsewhere/other.npy", other);
  const Dataset with_other = read_dataset(folder.path(), {"", folder / "elsewhere/other.npy"});
  CHECK(*with_other.divergence == other);
  CHECK(with_other.hash != read_dataset(folder.path(), {}).hash);
  CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {"", folder / "none.npy"}),
                       (folder / "none.npy: no such file").c_str(), InputError);
}

TEST_CASE("features, labels, classes and an embedding are a complete data set") {
  const DataFolder folder;
  for (const char* name : {"unseen_classes.txt", "validation_classes.txt", "test_seen.npy"})
    folder.remove(name);
  const Dataset data = read_dataset(folder.path(), {});
  CHECK(data.partition.unseen.empty());
  CHECK(data.partition.validation_folds.empty());
  CHECK(data.partition.held_out.empty());
  CHECK_FALSE(data.divergence.has_value());
}

TEST_CASE("row lengths are correct in every storage type and order, also across block boundaries") {
  const DataFolder folder;
  const Index rows =
      5003;  // more than two blocks of a column-major scan, and no multiple of anything
  Matrix X(rows, 11);
  for (Index i = 0; i < X.size(); ++i) X.data()[i] = std::sin(static_cast<double>(i)) * 3.0;
  folder.remove("test_seen.npy");
  folder.npy("labels.npy", Numbers(static_cast<std::size_t>(rows), 1));
  const struct {
    const char* descr;
    double tolerance;
  } storages[] = {{"<f2", 1e-3}, {"<f4", 1e-7}, {"<f8", 1e-14}};
  for (const auto& storage : storages)
    for (const bool fortran : {false, true}) {
      CAPTURE(storage.descr);
      CAPTURE(fortran);
      folder.text("features.npy", test::npy_bytes(X, storage.descr, fortran));
      const Dataset data = read_dataset(folder.path(), {});
      CHECK((data.feature_norms.array() / X.rowwise().norm().array() - 1.0).abs().maxCoeff() <
            storage.tolerance);
    }
}

TEST_CASE(
    "the first invalid value is named, also if rows are scanned in parallel, and sums of valid "
    "values do not overflow") {
  const DataFolder folder;
  Matrix X = folder.features;
  X(40, 0) = kNaN;
  X(12, 3) = kInfinity;
  folder.npy("features.npy", X);
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {}),
      (folder.path() +
       "/features.npy: row 12, column 3 is inf; expected finite values within float32; 2 such "
       "rows: 12, 40")
          .c_str(),
      InputError);
  X = folder.features;
  X.row(5).setConstant(3.4e38);  // each fits float32, their length does not
  folder.npy("features.npy", X);
  CHECK(read_dataset(folder.path(), {}).feature_norms[5] ==
        doctest::Approx(3.4e38 * std::sqrt(5.0)));
}

TEST_CASE("embeddings may be of any number type") {
  const DataFolder folder;
  Matrix attributes(8, 3);
  for (Index i = 0; i < 24; ++i) attributes.data()[i] = i % 3 == i / 3 % 3;
  for (const char* descr : {"|b1", "|u1", "<i8", ">i2", "<f2", ">f8"}) {
    folder.npy("embeddings/words.npy", attributes, descr);
    CHECK(read_dataset(folder.path(), {}).embeddings == attributes);
  }
}

TEST_CASE("-1 is an ordinary value if other values are negative too, or if all are -1 or 1") {
  const DataFolder folder;
  Matrix signs(8, 3);
  for (Index i = 0; i < 24; ++i) signs.data()[i] = i % 2 == 0 ? -1.0 : 1.0;
  folder.npy("embeddings/words.npy", signs);
  CHECK(read_dataset(folder.path(), {}).embeddings == signs);
  const Matrix mixed = with(with(folder.embeddings, 0, 0, -1.0), 1, 1, -0.5);
  folder.npy("embeddings/words.npy", mixed, "<f8");
  CHECK(read_dataset(folder.path(), {}).embeddings == mixed);
}

TEST_CASE("missing values are replaced as requested, and no other value changes") {
  const DataFolder folder;
  const Matrix attributes = with(with(folder.embeddings.cwiseAbs(), 5, 2, -1), 0, 2, -1);
  folder.npy("embeddings/words.npy", attributes, "<f8");
  const auto read = [&](const char* word) {
    return read_dataset(folder.path(), {"", "", missing_value_words().at(word)}).embeddings;
  };
  const double mean = attributes.col(2).cwiseMax(0).sum() / 6;
  CHECK(read("keep") == attributes);
  CHECK(read("zero") == with(with(attributes, 5, 2, 0), 0, 2, 0));
  CHECK((read("mean") - with(with(attributes, 5, 2, mean), 0, 2, mean)).cwiseAbs().maxCoeff() <
        1e-15);

  Matrix unknown = attributes;
  unknown.col(1).setConstant(-1);
  folder.npy("embeddings/words.npy", unknown, "<f8");
  CHECK_THROWS_WITH_AS(
      read("mean"),
      (folder / "embeddings/words.npy: row 0 ('ant'), column 1 is missing, as it is for all "
                "classes, so there is no mean; expected zero or keep for the option missing")
          .c_str(),
      InputError);
  unknown.setConstant(-1);
  unknown(0, 0) = 1;
  unknown(1, 0) = 2;
  folder.npy("embeddings/words.npy", unknown, "<f8");
  CHECK_THROWS_WITH_AS(
      read("zero"),
      (folder /
       "embeddings/words.npy: row 2 ('cat') is all zero; expected an embedding for every class; 6 "
       "such rows: 2, 3, 4, 5, 6, 7")
          .c_str(),
      InputError);
}

TEST_CASE("several embeddings are concatenated without scaling in the requested order") {
  const DataFolder folder;
  const Matrix more = folder.embeddings.leftCols(2) * 100;
  folder.npy("embeddings/more.npy", more);
  const Dataset data = read_dataset(folder.path(), {"words,more"});
  CHECK(data.embedding_name == "words,more");
  CHECK(data.embedding_parts == std::vector<Index>{3, 2});
  CHECK(data.embeddings.leftCols(3) == folder.embeddings);
  CHECK(data.embeddings.rightCols(2) == more.cast<float>().cast<double>());
  CHECK(read_dataset(folder.path(), {"words"}).embedding_parts.empty());

  DatasetOptions all;
  all.all_embeddings = true;
  CHECK(read_dataset(folder.path(), all).embedding_name == "more,words");
  CHECK(read_dataset(folder.path(), all).hash != data.hash);
  all.embedding = "words";
  CHECK(read_dataset(folder.path(), all).embedding_name == "words");

  folder.npy("embeddings/more.npy", with(more, 3, 0, kNaN));
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {"words,more"}),
      (folder /
       "embeddings/more.npy: row 3 ('dog'), column 0 is nan; expected finite values within float32")
          .c_str(),
      InputError);
}

TEST_CASE("a folder may define several validation folds") {
  const DataFolder folder;
  const auto hash_of_one = read_dataset(folder.path(), {}).hash;
  folder.text("validation_classes2.txt", "bee\nant\n");
  folder.text("validation_classes3.txt", "dog\n");
  folder.text("validation_classes5.txt", "not read, as there is no fourth");
  const Dataset data = read_dataset(folder.path(), {});
  CHECK(data.partition.validation_folds == std::vector<std::vector<Index>>{{4, 5}, {0, 1}, {3}});
  CHECK(data.hash != hash_of_one);
  folder.text("validation_classes3.txt", "gnu\n");
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {}),
      (folder / "validation_classes3.txt: 'gnu' is also in unseen_classes.txt; expected seen "
                "classes, as hyper-parameters are never chosen on unseen ones")
          .c_str(),
      InputError);
}

TEST_CASE(
    "the split has the right counts, and its hash changes with the role of any class or sample") {
  const DataFolder folder;
  const Split split = split_of(read_dataset(folder.path(), {}));
  CHECK(split.seen_classes == 6);
  CHECK(split.unseen_classes == 2);
  CHECK(split.test_seen_samples == 3);
  CHECK(split.unseen_samples == 12);
  CHECK(split.training_samples == 33);
  CHECK(describe(split).find(": 6 seen and 2 unseen classes; samples: 33 to train on, 3 held out "
                             "of seen classes, 12 of unseen classes") == 38);

  const auto hash_after = [](const std::function<void(const DataFolder&)>& change) {
    const DataFolder changed;
    change(changed);
    return split_of(read_dataset(changed.path(), {})).hash;
  };
  CHECK(hash_after([](auto& d) {
          d.npy("features.npy", 2 * d.features, "<f8");
          d.npy("embeddings/words.npy", 2 * d.embeddings);
        }) == split.hash);
  CHECK(hash_after([](auto& d) { d.remove("validation_classes.txt"); }) == split.hash);
  CHECK(hash_after([](auto& d) { d.npy("test_seen.npy", Numbers{40, 41}); }) != split.hash);
  CHECK(hash_after([](auto& d) { d.text("unseen_classes.txt", "gnu\n"); }) != split.hash);
  CHECK(hash_after([](auto& d) { d.npy("labels.npy", with(d.labels, 5, 4)); }) != split.hash);
}

TEST_CASE(
    "a seen class without training samples is accepted with a note, and an unseen one without a "
    "note") {
  const DataFolder folder;
  Numbers y = folder.labels;
  for (auto& each : y) each = each == 1 || each >= 6 ? 0 : each;
  folder.npy("labels.npy", y);
  const Dataset data = read_dataset(folder.path(), {});
  REQUIRE(data.notes.size() == 1);
  CHECK(data.notes[0] == "1 of 6 seen classes has no training sample: bee");
}

TEST_CASE("the example data set is valid with each of its embeddings") {
  for (const char* name : {"glove", "hypernyms"}) {
    const Dataset data = read_dataset(BZSCR_EXAMPLE_DATA "/caltech", {name});
    CHECK(data.features.rows == 2256);
    CHECK(data.partition.unseen.size() == 20);
    REQUIRE(data.partition.validation_folds.size() == 1);
    CHECK(data.partition.validation_folds[0].size() == 15);
    CHECK(data.synsets.size() == 94);
    CHECK(data.synsets.front() == 5600637);
    // Some of the classes have the same hypernyms.
    CHECK(data.notes.size() == (name == std::string("hypernyms") ? 1 : 0));
  }
}

TEST_CASE("the hash depends on the content of the files, not on their path") {
  const DataFolder one, other;
  CHECK(read_dataset(one.path(), {}).hash == read_dataset(other.path() + "/", {}).hash);
  other.text("unseen_classes.txt", "\xEF\xBB\xBFhen\r\ngnu");
  other.text("wordnet_hops.npy", "not read");
  CHECK(read_dataset(one.path(), {}).hash == read_dataset(other.path(), {}).hash);
}

TEST_CASE("the hash changes if any file changes") {
  const std::vector<std::function<void(const DataFolder&)>> changes = {
      [](auto&) {},
      [](auto& d) { d.npy("features.npy", with(d.features, 0, 0, d.features(0, 0) + 1)); },
      [](auto& d) { d.npy("features.npy", with(d.features, 47, 4, d.features(47, 4) + 1)); },
      [](auto& d) { d.npy("features.npy", d.features, "<f8"); },
      [](auto& d) { d.text("features.npy", test::npy_bytes(d.features, "<f4", true)); },
      [](auto& d) { d.npy("labels.npy", with(d.labels, 5, 4)); },
      [](auto& d) {
        d.text("classes.txt", "ant\nbee\ncat\ndog\neel\nfox\ngnu\nhen2\n");
        d.text("unseen_classes.txt", "gnu\nhen2\n");
      },
      [](auto& d) { d.npy("embeddings/words.npy", with(d.embeddings, 0, 0, 0.125)); },
      [](auto& d) {
        d.npy("embeddings/other.npy", d.embeddings);
        d.remove("embeddings/words.npy");
      },
      [](auto& d) { d.text("unseen_classes.txt", "gnu\n"); },
      [](auto& d) { d.remove("unseen_classes.txt"); },
      [](auto& d) { d.text("validation_classes.txt", "eel\n"); },
      [](auto& d) { d.text("validation_classes2.txt", "eel\n"); },
      [](auto& d) {
        d.npy("test_seen.npy", Numbers{40, 41});
      },
      [](auto& d) { d.npy("divergence.npy", good_divergence()); },
      [](auto& d) { d.npy("divergence.npy", with(good_divergence(), 0, 1, 0.25)); },
      [](auto& d) {
        d.text("synsets.txt",
               "n00000001\nn00000002\nn00000003\nn00000004\nn00000005\nn00000006\nn00000007\nn00000"
               "008\n");
      },
      [](auto& d) {
        d.text("synsets.txt",
               "n00000001\nn00000002\nn00000003\nn00000004\nn00000005\nn00000006\nn00000007\nn00000"
               "009\n");
      },
  };
  std::set<std::array<std::uint8_t, 16>> hashes;
  for (const auto& change : changes) {
    const DataFolder folder;
    change(folder);
    hashes.insert(read_dataset(folder.path(), {}).hash);
  }
  CHECK(hashes.size() == changes.size());
}

}  // namespace
}  // namespace bzscr
