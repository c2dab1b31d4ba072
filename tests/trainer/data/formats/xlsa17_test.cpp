#include "data/dataset.h"

#include <bzscr_train/error.hpp>
#include "data/formats/mat_file.h"
#include "dataset_files.h"
#include "mat_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bzscr {
namespace {

using test::column;
using test::DataFolder;
using test::kMatKinds;
using test::MatKind;
using test::MatWriter;
using test::with;
using Numbers = std::vector<std::int64_t>;

/// The small data set as MATLAB files. What a test changes before write() is what is written.
struct MatFolder : DataFolder {
  MatFolder() {
    for (const char* name : {"features.npy", "labels.npy", "embeddings", "test_seen.npy",
                             "classes.txt", "unseen_classes.txt", "validation_classes.txt"})
      remove(name);
    for (auto& label : labels) ++label;
    for (std::int64_t i = 1; i <= kSamples; ++i)
      (labels[static_cast<std::size_t>(i - 1)] > 6 ? test_unseen
       : i >= 41 && i <= 43                        ? test_seen
                                                   : trainval)
          .push_back(i);
    att = embeddings.transpose();
    X = features.transpose();
    text("trainclasses1.txt", "ant\nbee\ncat\ndog\n");
    text("valclasses1.txt", "eel\nfox\n");
  }
  const std::string& write(MatKind kind = MatKind::k5, const std::string& type = "f8") const {
    MatWriter(*this / "res101.mat", kind)
        .numbers("features", X, type == "f8" ? "f8" : "f4")
        .numbers("labels", column(labels), type);
    MatWriter writer(*this / "att_splits.mat", kind);
    writer.numbers("att", att)
        .cells("allclasses_names", class_names)
        .numbers("trainval_loc", column(trainval), type);
    if (!test_seen.empty()) writer.numbers("test_seen_loc", column(test_seen), type);
    writer.numbers("test_unseen_loc", column(test_unseen), type);
    if (original_att.size() > 0) writer.numbers("original_att", original_att);
    return path();
  }
  Matrix X, att, original_att;
  Numbers trainval, test_seen, test_unseen;
};

/// The same as a folder of arrays.
Dataset expected() {
  const DataFolder folder;
  folder.npy("embeddings/att.npy", folder.embeddings, "<f8");
  return read_dataset(folder.path(), {"att"});
}

TEST_CASE(
    "MATLAB files of any version and numeric class read as the same data set as arrays of the same "
    "numbers") {
  const Dataset arrays = expected();
  const MatFolder folder;
  for (const MatKind kind : kMatKinds)
    for (const char* type : {"f8", "f4", "u1", "i2", "u4", "i8"}) {
      CAPTURE(kind);
      CAPTURE(type);
      const Dataset data = read_dataset(folder.write(kind, type), {});
      CHECK(data.hash == arrays.hash);
      CHECK(split_of(data).hash == split_of(arrays).hash);
    }
}

TEST_CASE(
    "the published split of AWA2 has its counts and folds, and no test sample is trained on") {
  const std::string published = BZSCR_TEST_DATA "/formats/AWA2";
  const test::TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(published))
    std::filesystem::copy_file(entry.path(), folder / entry.path().filename().string());

  // The features are not published with the split: small ones are made, of classes that suit it.
  const MatFile splits(folder / "att_splits.mat");
  const auto rows = [&](const char* name) { return splits.numbers(name).matrix(); };
  const Matrix test_unseen = rows("test_unseen_loc"), test_seen = rows("test_seen_loc"),
               trainval = rows("trainval_loc");
  const std::vector<std::string> names = names_of(splits.names("allclasses_names"));
  std::vector<std::int64_t> seen, unseen;
  const std::string seen_names = "\n" + test::read_bytes(published + "/trainclasses1.txt") +
                                 test::read_bytes(published + "/valclasses1.txt");
  for (std::size_t r = 0; r < names.size(); ++r)
    (seen_names.find("\n" + names[r] + "\n") != std::string::npos ? seen : unseen)
        .push_back(static_cast<std::int64_t>(r) + 1);
  REQUIRE(unseen.size() == 10);
  Numbers labels(37322);
  const auto label = [&](const Matrix& samples, const Numbers& classes) {
    for (Index i = 0; i < samples.rows(); ++i)
      labels[static_cast<std::size_t>(samples(i, 0)) - 1] =
          classes[static_cast<std::size_t>(i) % classes.size()];
  };
  label(test_unseen, unseen);
  label(test_seen, seen);
  label(trainval, seen);
  MatWriter(folder / "res101.mat", MatKind::k73Compressed)
      .numbers("features", Matrix::Ones(2, 37322), "u1")
      .numbers("labels", column(labels), "u1");

  const Dataset data = read_dataset(folder.path(), {"", "", MissingValues::kKeep});
  const Split split = split_of(data);
  CHECK(split.seen_classes == 40);
  CHECK(split.unseen_classes == 10);
  CHECK(split.training_samples == 23527);
  CHECK(split.test_seen_samples == 5882);
  CHECK(split.unseen_samples == 7913);
  CHECK(data.embedding_name == "att");
  CHECK(data.embeddings.cols() == 85);
  REQUIRE(data.partition.validation_folds.size() == 3);
  for (const auto& fold : data.partition.validation_folds) CHECK(fold.size() == 13);
  CHECK(data.class_names[1] == "grizzly+bear");
  for (Index i = 0; i < test_seen.rows(); ++i)
    CHECK(std::binary_search(data.partition.held_out.begin(), data.partition.held_out.end(),
                             static_cast<Index>(test_seen(i, 0)) - 1));
  // Four attributes are -1 in original_att, among percentages; in att they have become small
  // negative numbers.
  CHECK_THROWS_AS(read_dataset(folder.path(), {}), InputError);
  CHECK(read_dataset(folder.path(), {"", "", MissingValues::kZero}).embeddings.minCoeff() == 0);
}

TEST_CASE("every kind of invalid folder of MATLAB files is refused with its error message") {
  struct Bad {
    std::function<void(MatFolder&)> spoil;
    const char* message;
  };
  // clang-format off
  const Bad bads[] = {
      // Transposed
      {[](auto& d) { d.X.transposeInPlace(); }, "/res101.mat: features: is 48 x 5, but labels has 48 values; expected m x 48; it looks transposed: save features'"},
      {[](auto& d) { d.X = d.X.leftCols(47).eval(); }, "/res101.mat: features: is 5 x 47, but labels has 48 values; expected m x 48"},
      {[](auto& d) { d.att.transposeInPlace(); }, "/att_splits.mat: att: is 8 x 3, but allclasses_names has 8 names; expected d x 8; it looks transposed: save att'"},
      {[](auto& d) { d.att = d.att.leftCols(7).eval(); }, "/att_splits.mat: att: is 3 x 7, but allclasses_names has 8 names; expected d x 8"},
      // Labels and names
      {[](auto& d) { d.labels[17] = 9; }, "/res101.mat: labels: row 18 holds label 9; expected 1 to 8, the rows of allclasses_names"},
      {[](auto& d) { for (auto& y : d.labels) --y; }, "/res101.mat: labels: row 1 holds label 0; expected 1 to 8, the rows of allclasses_names; labels seem to count from 0: save labels + 1"},
      {[](auto& d) { d.class_names[3] = "bee"; }, "/att_splits.mat: allclasses_names, entry 4: 'bee' was already named in entry 2"},
      {[](auto& d) { d.class_names[3] = ""; }, "/att_splits.mat: allclasses_names, entry 4: entry is blank; expected a class name"},
      // The split
      {[](auto& d) { d.test_seen.push_back(d.trainval[4]); }, "/att_splits.mat: test_seen_loc: sample 5 is also in trainval_loc; expected each sample in one list"},
      {[](auto& d) { d.trainval.push_back(d.test_unseen[1]); }, "/att_splits.mat: test_unseen_loc: sample 8 is also in trainval_loc; expected each sample in one list"},
      {[](auto& d) { d.trainval.push_back(d.trainval[0]); }, "/att_splits.mat: trainval_loc: sample 1 is named twice"},
      {[](auto& d) { d.trainval[0] = 0; }, "/att_splits.mat: trainval_loc: sample 0 is not in 1..48, the rows of labels"},
      {[](auto& d) { d.test_unseen.push_back(49); }, "/att_splits.mat: test_unseen_loc: sample 49 is not in 1..48, the rows of labels"},
      {[](auto& d) { d.trainval.erase(d.trainval.begin() + 4); }, "/att_splits.mat: sample 5 of 48 is in none of trainval_loc, test_seen_loc and test_unseen_loc; expected each in one"},
      {[](auto& d) { d.labels[4] = 8; }, "/att_splits.mat: trainval_loc: sample 5 is of class 'hen', which is in test_unseen_loc; expected samples of seen classes"},
      {[](auto& d) { d.labels[40] = 8; }, "/att_splits.mat: test_seen_loc: sample 41 is of class 'hen', which is in test_unseen_loc; expected samples of seen classes"},
      // Folds
      {[](auto& d) { d.text("valclasses1.txt", "eel\nfox\ngnu\n"); }, "/valclasses1.txt: 'gnu' is also in test_unseen_loc; expected seen classes, as hyper-parameters are never chosen on unseen ones"},
      {[](auto& d) { d.text("trainclasses1.txt", "ant\nbee\ncat\n"); }, "/trainclasses1.txt: the seen class 'dog' is neither here nor in valclasses1.txt; expected it in one of them"},
      {[](auto& d) { d.text("trainclasses1.txt", "ant\nbee\ncat\ndog\neel\n"); }, "/trainclasses1.txt: the seen class 'eel' is also in valclasses1.txt; expected it in one of them"},
      {[](auto& d) { d.text("trainclasses1.txt", "ant\nbee\ncat\ndog\nhen\n"); }, "/trainclasses1.txt: 'hen' is in test_unseen_loc; expected seen classes"},
      {[](auto& d) { d.text("valclasses1.txt", "eel\nfx\n"); }, "/valclasses1.txt:2: 'fx' is not in allclasses_names; did you mean 'fox'?"},
      {[](auto& d) { d.text("trainclasses2.txt", "ant\n"); }, "/valclasses2.txt: no such file"},
      // Values
      {[](auto& d) { d.X(3, 7) = std::nan(""); }, "/res101.mat: features', counted from 0: row 7, column 3 is nan; expected finite values within float32"},
      {[](auto& d) { d.X(3, 7) = 1e300; }, "/res101.mat: features', counted from 0: row 7, column 3 is inf; expected finite values within float32"},
      {[](auto& d) { d.X.col(7).setZero(); }, "/res101.mat: features', counted from 0: row 7 is all zero; expected at least one nonzero feature"},
      {[](auto& d) { d.att.col(2).setZero(); }, "/att_splits.mat: att', counted from 0: row 2 ('cat') is all zero; expected an embedding for every class"},
      {[](auto& d) { d.att = with(d.att.cwiseAbs(), 1, 2, -1); }, "/att_splits.mat: att', counted from 0: row 2 ('cat'), column 1 is -1 while no other value is negative, so it seems to mean \"missing\"; choose what it means by the option missing: mean, zero or keep"},
      {[](auto& d) { d.original_att = with(100 * d.att.cwiseAbs(), 1, 2, -1); }, "/att_splits.mat: att', counted from 0: row 2 ('cat'), column 1 is -1 before scaling while no other value is negative, so it seems to mean \"missing\"; choose what it means by the option missing: mean, zero or keep"},
      // Files
      {[](auto& d) { d.npy("features.npy", d.features); }, ": holds both features.npy and res101.mat; expected one"},
  };
  // clang-format on
  for (const Bad& bad : bads) {
    MatFolder folder;
    bad.spoil(folder);
    folder.write(MatKind::k5Compressed);
    CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {}), (folder.path() + bad.message).c_str(),
                         InputError);
  }
}

TEST_CASE("a missing file or variable is named with the existing ones") {
  const MatFolder folder;
  folder.write();
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {"attt"}),
      (folder.path() + ": holds no embedding 'attt', only att; did you mean 'att'?").c_str(),
      InputError);
  MatWriter(folder / "att_splits.mat", MatKind::k5)
      .cells("allclasses_names", folder.class_names)
      .numbers("train_loc", column({1}));
  CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {}),
                       (folder / "att_splits.mat: holds no 'trainval_loc', only allclasses_names, "
                                 "train_loc; did you mean 'train_loc'?")
                           .c_str(),
                       InputError);
  folder.remove("att_splits.mat");
  CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {}),
                       (folder / "att_splits.mat: no such file; expected res101.mat and "
                                 "att_splits.mat in a folder of MATLAB files")
                           .c_str(),
                       InputError);
  folder.write();
  folder.remove("res101.mat");
  CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {}),
                       (folder / "res101.mat: no such file; expected res101.mat and att_splits.mat "
                                 "in a folder of MATLAB files")
                           .c_str(),
                       InputError);
  MatWriter(folder / "res101.mat", MatKind::k5).numbers("labels", column({1}) / 2);
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {}),
      (folder / "res101.mat: labels: row 1 is 0.5; expected a whole number").c_str(), InputError);
}

/// Writes att_splits.mat with only some of the variables.
struct Splits : MatWriter {
  explicit Splits(const MatFolder& folder) : MatWriter(folder / "att_splits.mat", MatKind::k5) {
    numbers("trainval_loc", column(folder.trainval));
    numbers("test_seen_loc", column(folder.test_seen));
    numbers("test_unseen_loc", column(folder.test_unseen));
  }
};

TEST_CASE("names of classes may be rows of a char matrix, in classes.txt, or missing") {
  const MatFolder folder;
  const auto hash = read_dataset(folder.write(), {}).hash;
  Splits(folder).numbers("att", folder.att).text_rows("allclasses_names", folder.class_names);
  CHECK(read_dataset(folder.path(), {}).hash == hash);

  Splits(folder).numbers("att", folder.att);  // as published for FLO
  folder.text("classes.txt", "ant\nbee\ncat\ndog\neel\nfox\ngnu\nhen\n");
  CHECK(read_dataset(folder.path(), {}).hash == hash);
  CHECK(read_dataset(folder.path(), {}).notes.empty());
  folder.text("classes.txt", "ant\nbee\n");
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {}),
      (folder / "res101.mat: labels: row 3 holds label 3; expected 1 to 2, the rows of classes.txt")
          .c_str(),
      InputError);
  for (const char* name : {"classes.txt", "valclasses1.txt", "trainclasses1.txt"})
    folder.remove(name);
  const Dataset data = read_dataset(folder.path(), {});
  CHECK(data.class_names == std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7", "8"});
  CHECK(data.notes ==
        std::vector<std::string>{folder /
                                 "att_splits.mat: holds no 'allclasses_names', so the classes are "
                                 "named 1 to 8; their names can be given in classes.txt beside "
                                 "it"});
}

TEST_CASE("without att the only embedding is taken, and others are read by name") {
  const MatFolder folder;
  folder.write();
  Splits(folder)
      .cells("allclasses_names", folder.class_names)
      .numbers("original_att", folder.att)
      .numbers("sentences", 2 * folder.att);
  CHECK(read_dataset(folder.path(), {}).embedding_name == "original_att");
  CHECK(read_dataset(folder.path(), {"sentences"}).embeddings == 2 * folder.embeddings);
  CHECK_THROWS_AS(read_dataset(folder.path(), {"trainval_loc"}), InputError);
  Splits(folder).cells("allclasses_names", folder.class_names);
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {}),
      (folder / "att_splits.mat: holds no 'att', only trainval_loc, test_seen_loc, "
                "test_unseen_loc, allclasses_names; expected an embedding of the "
                "classes")
          .c_str(),
      InputError);
}

TEST_CASE("files that a folder of MATLAB files does not use are named") {
  const MatFolder folder;
  folder.write();
  folder.npy("divergence.npy", Matrix::Zero(8, 8));
  folder.text("unseen_classes.txt", "ant\n");
  folder.text("testclasses.txt", "published, and never read");
  folder.text("valclasses3.txt", "ant\n");
  CHECK(read_dataset(folder.path(), {}).notes ==
        std::vector<std::string>{
            folder.path() + ": does not use divergence.npy, unseen_classes.txt, as res101.mat and "
                            "att_splits.mat define the data set",
            folder.path() + ": 'valclasses3.txt' is not read, as there is no valclasses2.txt"});
  std::filesystem::rename(folder / "att_splits.mat", folder / "sent_splits.mat");
  CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {}),
                       (folder / "att_splits.mat: no such file; expected res101.mat and "
                                 "att_splits.mat in a folder of MATLAB files; the folder holds "
                                 "sent_splits.mat: rename the one that is meant")
                           .c_str(),
                       InputError);
}

TEST_CASE("without lists of validation classes or held-out samples the other parts are read") {
  MatFolder folder;
  for (const char* name : {"trainclasses1.txt", "valclasses1.txt"}) folder.remove(name);
  folder.trainval.insert(folder.trainval.end(), folder.test_seen.begin(), folder.test_seen.end());
  folder.test_seen.clear();
  const Dataset data = read_dataset(folder.write(), {});
  CHECK(data.partition.validation_folds.empty());
  CHECK(data.partition.held_out.empty());
  CHECK(split_of(data).training_samples == 36);
}

TEST_CASE(
    "missing attributes are detected by -1 in the original, and replaced in the scaled "
    "attributes") {
  MatFolder folder;
  folder.att = folder.att.cwiseAbs();
  folder.original_att = with(100 * folder.att, 1, 2, -1);
  folder.write();
  const auto read = [&](MissingValues missing) {
    return read_dataset(folder.path(), {"", "", missing}).embeddings;
  };
  const Matrix att = folder.att.transpose();
  const double mean = (att.col(1).sum() - att(2, 1)) / 7;
  CHECK(read(MissingValues::kKeep) == att);
  CHECK(read(MissingValues::kZero) == with(att, 2, 1, 0));
  CHECK((read(MissingValues::kMean) - with(att, 2, 1, mean)).cwiseAbs().maxCoeff() < 1e-15);
}

TEST_CASE("other embeddings may be in the folder of the attributes") {
  const MatFolder folder;
  folder.write();
  folder.npy("embeddings/words.npy", folder.embeddings.leftCols(2));
  CHECK(read_dataset(folder.path(), {}).embedding_name == "att");
  const Dataset data = read_dataset(folder.path(), {"words,att"});
  CHECK(data.embedding_parts == std::vector<Index>{2, 3});
  CHECK(data.embeddings.rightCols(3) == folder.embeddings);
  DatasetOptions all;
  all.all_embeddings = true;
  CHECK(read_dataset(folder.path(), all).embedding_name == "att,words");
}

}  // namespace
}  // namespace bzscr
