// The data sets that bzscr-convert writes, and that training on them gives the same model.
#include "train.h"

#include "support/mat_files.h"
#include "support/npz_files.h"
#include "support/wordnet_builder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace bzscr::test {
namespace {

namespace fs = std::filesystem;

Finished convert(const std::vector<std::string>& arguments) {
  return run_program(BZSCR_CONVERT, arguments);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::set<std::string> listing(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

/// The bytes of the model that training on a data set writes.
std::string model_of(const std::string& data, std::vector<std::string> more = {}) {
  const TemporaryFolder folder;
  more.insert(more.begin(),
              {data, "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", folder / "m.bzscr"});
  const Finished run = train(more);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return read_bytes(folder / "m.bzscr");
}

void expect_same_model(const std::string& in, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  const Finished run = convert({in, folder / "out"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(model_of(in, more) == model_of(folder / "out", more));
}

/// The small data set's features and labels in a MATLAB file.
void write_mat(const DataFolder& from, const std::string& folder, MatKind kind) {
  fs::create_directories(folder);
  std::vector<std::int64_t> labels, trainval, test_seen, test_unseen;
  for (std::int64_t i = 1; i <= DataFolder::kSamples; ++i) {
    labels.push_back(from.labels[static_cast<std::size_t>(i - 1)] + 1);
    (labels.back() > 6 ? test_unseen : i >= 41 && i <= 43 ? test_seen : trainval).push_back(i);
  }
  MatWriter(folder + "/res101.mat", kind)
      .numbers("features", from.features.transpose())
      .numbers("labels", column(labels), "u1");
  MatWriter(folder + "/att_splits.mat", kind)
      .numbers("att", from.embeddings.transpose())
      .numbers("original_att", 100 * from.embeddings.transpose())
      .cells("allclasses_names", from.class_names)
      .numbers("trainval_loc", column(trainval), "u2")
      .numbers("test_seen_loc", column(test_seen))
      .numbers("test_unseen_loc", column(test_unseen));
  write_bytes(folder + "/valclasses1.txt", "eel\nfox\n");
  write_bytes(folder + "/valclasses2.txt", "ant\nbee\n");
}

/// Of tables, whose columns have names that arrays do not have: the models differ in these alone.
void expect_same_training(const std::string& in) {
  const TemporaryFolder folder;
  REQUIRE(convert({in, folder / "out"}).exit_code == 0);
  write_bytes(folder / "in.bzscr", model_of(in));
  write_bytes(folder / "out.bzscr", model_of(folder / "out"));
  const Json named = inspect_model(folder / "in.bzscr"),
             plain = inspect_model(folder / "out.bzscr");
  CHECK(named["feature_names"].size() == 5);
  CHECK(plain["feature_names"].is_null());
  for (const char* field : {"data_hash", "objective", "lower_bound", "seen_penalty", "weak_models",
                            "validation_harmonic", "class_list"})
    CHECK(named[field].dump() == plain[field].dump());
}

TEST_CASE("training on a converted data set writes the same bytes as training on the original") {
  const DataFolder data;
  data.npy("embeddings/more.npy", data.embeddings.leftCols(2) * 7);
  SUBCASE("a folder") { expect_same_model(data.path(), {"--embedding", "more,words"}); }
  SUBCASE("a folder, tuned") {
    data.text("validation_classes2.txt", "ant\nbee\n");
    const TemporaryFolder folder;
    REQUIRE(convert({data.path(), folder / "out"}).exit_code == 0);
    REQUIRE(train({data.path(), "--embedding", "words", "--beta", "0.1", "--quiet", "-o",
                   folder / "in.bzscr"})
                .exit_code == 0);
    REQUIRE(train({folder / "out", "--embedding", "words", "--beta", "0.1", "--quiet", "-o",
                   folder / "out.bzscr"})
                .exit_code == 0);
    CHECK(read_bytes(folder / "in.bzscr") == read_bytes(folder / "out.bzscr"));
  }
  SUBCASE("an archive") {
    write_npz(data / "data.npz", npz_entries(data));
    expect_same_model(data / "data.npz");
  }
  SUBCASE("MATLAB files") {
    for (const MatKind kind : {MatKind::k5Compressed, MatKind::k73}) {
      write_mat(data, data / "mat", kind);
      expect_same_model(data / "mat", {"--embedding", "att"});
      expect_same_model(data / "mat", {"--embedding", "original_att,att"});
    }
  }
  SUBCASE("tables") {
    std::string features = "class", words = "class";
    for (int j = 0; j < 5; ++j) features += ",x" + std::to_string(j);
    for (int j = 0; j < 3; ++j) words += ",w" + std::to_string(j);
    for (std::size_t i = 0; i < 48; ++i) {
      features += "\n" + data.class_names[static_cast<std::size_t>(data.labels[i])];
      for (Index j = 0; j < 5; ++j)
        features += fmt::format(",{}", data.features(static_cast<Index>(i), j));
    }
    for (std::size_t r = 0; r < 8; ++r) {
      words += "\n\"" + data.class_names[r] + "\"";
      for (Index j = 0; j < 3; ++j)
        words += fmt::format(",{}", data.embeddings(static_cast<Index>(r), j));
    }
    for (const char* name : {"features.npy", "labels.npy", "embeddings", "classes.txt"})
      data.remove(name);
    data.text("features.csv", features);
    data.text("embeddings/words.csv", words);
    expect_same_training(data.path());
  }
}

TEST_CASE(
    "all embeddings are written, or only the named ones, and the output lists what was written") {
  const DataFolder data;
  data.npy("embeddings/more.npy", data.embeddings.leftCols(2));
  const Finished all = convert({data.path(), data / "all"});
  CHECK(all.exit_code == 0);
  CHECK(all.err.empty());
  const std::vector<std::string> words = lines_of(all.out);
  REQUIRE(words.size() == 2);
  CHECK(words[0] ==
        data / "all: 48 x 5 features in float32, 8 classes, embedding more,words (2, 3)");
  CHECK(contains(words[1],
                 ": 6 seen and 2 unseen classes; samples: 33 to train on, 3 held out of seen "
                 "classes, 12 of unseen classes"));
  CHECK(listing(data / "all") ==
        std::set<std::string>{"classes.txt", "embeddings", "embeddings/more.npy",
                              "embeddings/words.npy", "features.npy", "labels.npy", "test_seen.npy",
                              "unseen_classes.txt", "validation_classes.txt"});
  CHECK(convert({data.path(), data / "one", "--embedding", "words"}).exit_code == 0);
  CHECK(listing(data / "one/embeddings") == std::set<std::string>{"words.npy"});
}

TEST_CASE("--divergence writes the divergence, and training then uses it") {
  const DataFolder data;
  REQUIRE(convert({data.path(), data / "out", "--divergence", "cosine"}).exit_code == 0);
  CHECK(fs::exists(data / "out/divergence.npy"));
  const TemporaryFolder folder;
  for (const auto& [from, words] :
       {std::pair<std::string, std::vector<std::string>>{data.path(), {"--divergence", "cosine"}},
        {data / "out", {}}}) {
    std::vector<std::string> arguments = {
        from,  "--nu",    "0.01", "--beta",
        "0.4", "--quiet", "-o",   folder / (words.empty() ? "out" : "in")};
    arguments.insert(arguments.end(), words.begin(), words.end());
    REQUIRE(train(arguments).exit_code == 0);
  }
  CHECK(inspect_model(folder / "in")["objective"] == inspect_model(folder / "out")["objective"]);
  CHECK(inspect_model(folder / "out")["divergence"] == "divergence.npy");
  REQUIRE(convert({data.path(), data / "ones", "--divergence", "zero-one"}).exit_code == 0);
  CHECK(read_bytes(data / "ones/divergence.npy") != read_bytes(data / "out/divergence.npy"));
  REQUIRE(convert({data.path(), data / "given", "--divergence", data / "out/divergence.npy"})
              .exit_code == 0);
  CHECK(read_bytes(data / "given/divergence.npy") == read_bytes(data / "out/divergence.npy"));
}

TEST_CASE(
    "the written WordNet divergence equals the one that training computes, also for an archive") {
  DataFolder data;
  const WordNetFolder wordnet(animals());
  std::vector<std::string> ids;
  for (const std::string& name : data.class_names) ids.push_back(wordnet.text(name));
  Entries entries = npz_entries(data);
  entries.emplace_back("synsets", npy_texts(ids));
  write_npz(data / "ids.npz", entries);

  const Finished by_name = convert(
      {data.path(), data / "names", "--divergence", "wordnet", "--wordnet", wordnet.path()});
  CHECK(by_name.exit_code == 0);
  CHECK(contains(by_name.err, "bzscr-convert: note: 'ant' is mapped to " + wordnet.text("ant") +
                                  " of WordNet: a social insect\n"));
  const Finished by_id = convert(
      {data / "ids.npz", data / "ids", "--divergence", "wordnet", "--wordnet", wordnet.path()});
  CHECK(by_id.exit_code == 0);
  CHECK(by_id.err.empty());
  CHECK(read_bytes(data / "ids/divergence.npy") == read_bytes(data / "names/divergence.npy"));
  CHECK(read_bytes(data / "ids/synsets.txt")
            .rfind(wordnet.text("ant") + " ant\n" + wordnet.text("bee") + " bee\n", 0) == 0);
  CHECK(contains(
      convert({data.path(), data / "out", "--divergence", "wordnet", "--wordnet", data / "none"})
          .err,
      "none/data.noun: no such file"));
}

TEST_CASE("--missing is applied to the embeddings that are written") {
  const DataFolder data;
  data.npy("embeddings/words.npy", with(data.embeddings.cwiseAbs(), 5, 2, -1));
  const Finished refused = convert({data.path(), data / "out"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "row 5 ('fox'), column 2 is -1 while no other value is negative"));
  CHECK_FALSE(fs::exists(data / "out"));
  REQUIRE(convert({data.path(), data / "out", "--missing", "mean"}).exit_code == 0);
  CHECK(model_of(data.path(), {"--missing", "mean"}) == model_of(data / "out"));
}

TEST_CASE("an existing folder is replaced only with --force, and only if it is a data set") {
  const DataFolder data;
  REQUIRE(convert({data.path(), data / "out"}).exit_code == 0);
  const Finished refused = convert({data.path(), data / "out"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "bzscr-convert: " +
            data / "out: exists already; expected a new name, or the option to replace it\n");
  REQUIRE(convert({data / "out", data / "out", "--divergence", "zero-one", "--force"}).exit_code ==
          0);  // the input folder is also the output
  CHECK(fs::exists(data / "out/divergence.npy"));
  data.text("out/notes.txt", "mine");
  CHECK(contains(convert({data.path(), data / "out", "--force"}).err,
                 "out: holds notes.txt, which is not part of a data set and would be lost"));
  CHECK(read_bytes(data / "out/notes.txt") == "mine");
}

TEST_CASE("a folder that holds an input is not replaced, also if links lead to it") {
  const DataFolder data;
  REQUIRE(convert({data.path(), data / "out", "--divergence", "zero-one"}).exit_code == 0);
  const std::string before = read_bytes(data / "out/features.npy");
  const auto refused = [&](const std::vector<std::string>& arguments) {
    const Finished run = convert(arguments);
    CHECK(run.exit_code == 2);
    CHECK(contains(run.err, ", which would be lost; expected another folder to write"));
    CHECK(read_bytes(data / "out/features.npy") == before);
    CHECK(fs::exists(data / "out/divergence.npy"));
  };
  const std::string divergence = data / "out/divergence.npy";
  refused({data.path(), data / "out", "--divergence", divergence, "--force"});
  fs::create_symlink(divergence, data / "link.npy");
  refused({data.path(), data / "out", "--divergence", data / "link.npy", "--force"});
  data.remove("features.npy");
  fs::create_symlink(data / "out/features.npy", data / "features.npy");
  refused({data.path(), data / "out", "--force"});
  fs::create_directory_symlink(data / "out", data / "other");
  refused({data.path(), data / "other", "--force"});
}

TEST_CASE("a wrong command line or data set gives one error message and leaves no files behind") {
  const DataFolder data;
  const std::set<std::string> before = listing(data.path());
  const std::pair<std::vector<std::string>, std::string> misuses[] = {
      {{}, "DATA is required"},
      {{data.path()}, "OUT is required"},
      {{data.path(), data / "out", "--embeding", "words"},
       "unknown option '--embeding'; did you mean '--embedding'?"},
      {{data.path(), data / "out", "--embedding", "wrds"},
       "holds no embedding 'wrds', only words; did you mean 'words'?"},
      {{data.path(), data / "out", "--divergence", "cosin"},
       "'cosin' is none of cosine|wordnet|zero-one|FILE.npy; did you mean 'cosine'?"},
      {{data.path(), data / "out", "--divergence", "/nowhere/far.npy"},
       "/nowhere/far.npy: no such file"},
      {{data.path(), data / "none/out"}, "none/out: cannot be written: No such file or directory"},
      {{data / "none", data / "out"}, "none: no such folder"},
      {{data / "none.npz", data / "out"}, "none.npz: no such file"},
  };
  for (const auto& [arguments, said] : misuses) {
    CAPTURE(said);
    const Finished run = convert(arguments);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(lines_of(run.err).size() == 1);
    CHECK(contains(run.err, said));
    CHECK(listing(data.path()) == before);
  }
  CHECK(contains(convert({"--help"}).out, "res101.mat"));
  CHECK(convert({"--version"}).out.rfind("bzscr-convert ", 0) == 0);
}

}  // namespace
}  // namespace bzscr::test
