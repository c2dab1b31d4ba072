// Runs examples/reproduce_paper on generated data in the layouts of the original data sets.
#include "train.h"

#include "support/mat_files.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <utility>

namespace bzscr::test {
namespace {

namespace fs = std::filesystem;

const std::string kExample = BZSCR_REPRODUCE;

std::string folder_of(const std::string& program) {
  return fs::path(program).parent_path().string();
}

Finished reproduce(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"PATH=" + folder_of(BZSCR_CONVERT) + ":" +
                                           folder_of(BZSCR_COMPARE) + ":/usr/bin:/bin",
                                       kExample + "/reproduce.sh"});
  return run_program("/usr/bin/env", arguments);
}

std::vector<std::vector<std::string>> rows_of(const std::string& tsv) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : lines_of(read_bytes(tsv))) {
    if (line[0] == '#') continue;
    std::istringstream parts(line);
    rows.emplace_back();
    for (std::string part; std::getline(parts, part, '\t');) rows.back().push_back(part);
  }
  return rows;
}

std::set<std::string> listing(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().string());
  return names;
}

Matrix random_matrix(Index rows, Index columns, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = normal(random);
  return values;
}

/// Features that are a linear map of the class embedding plus noise; sample i belongs to class
/// i mod C.
Matrix features_of(const Matrix& embeddings, Index samples, Index m, std::mt19937& random) {
  const Matrix map = random_matrix(embeddings.cols(), m, random);
  Matrix features = 0.5 * random_matrix(samples, m, random);
  for (Index i = 0; i < samples; ++i)
    features.row(i) += embeddings.row(i % embeddings.rows()) * map;
  return features;
}

/// AWA in the layout of the xlsa17 benchmark, with word vectors: 50 classes of 4 samples, the last
/// 10 unseen.
void write_awa(const std::string& folder) {
  std::mt19937 random(7);
  std::vector<std::string> names;
  for (const auto& row : rows_of(kExample + "/awa_synsets.tsv")) {
    names.push_back(row.at(0));
    for (char& c : names.back()) c = c == ' ' ? '+' : c;
  }
  REQUIRE(names.size() == 50);
  const Matrix embeddings = random_matrix(50, 6, random),
               features = features_of(embeddings, 200, 8, random);
  std::vector<std::int64_t> labels, trainval, test_seen, test_unseen;
  for (std::int64_t i = 0; i < 200; ++i) {
    labels.push_back(i % 50 + 1);
    (i % 50 >= 40 ? test_unseen : i < 150 ? trainval : test_seen).push_back(i + 1);
  }
  fs::create_directories(folder + "/embeddings");
  MatWriter(folder + "/res101.mat", MatKind::k5Compressed)
      .numbers("features", features.transpose())
      .numbers("labels", column(labels));
  MatWriter(folder + "/att_splits.mat", MatKind::k5Compressed)
      .numbers("att", random_matrix(4, 50, random).cwiseAbs())
      .cells("allclasses_names", names)
      .numbers("trainval_loc", column(trainval))
      .numbers("test_seen_loc", column(test_seen))
      .numbers("test_unseen_loc", column(test_unseen));
  write_bytes(folder + "/embeddings/word2vec.npy", npy_bytes(embeddings, "<f4"));
  std::string validation, training;
  for (std::size_t r = 0; r < 40; ++r) (r % 4 == 0 ? validation : training) += names[r] + "\n";
  write_bytes(folder + "/valclasses1.txt", validation);
  write_bytes(folder + "/trainclasses1.txt", training);
}

/// CUB as tables: 12 classes of 4 samples, the last 4 unseen.
void write_cub(const std::string& folder) {
  std::mt19937 random(8);
  const Matrix embeddings = random_matrix(12, 5, random).cwiseAbs(),
               features = features_of(embeddings, 48, 7, random);
  std::string classes, unseen, validation, table = "class", attributes = "class";
  for (int j = 0; j < 7; ++j) table += ",x" + std::to_string(j);
  for (int j = 0; j < 5; ++j) attributes += ",a" + std::to_string(j);
  const auto name = [](Index r) {
    return (r < 9 ? "00" : "0") + std::to_string(r + 1) + ".Some_Bird";
  };
  const auto add_row = [](std::string& text, const std::string& first, const Matrix& values,
                          Index row) {
    text += "\n" + first;
    for (Index j = 0; j < values.cols(); ++j) text += fmt::format(",{}", values(row, j));
  };
  for (Index r = 0; r < 12; ++r) {
    classes += name(r) + "\n";
    if (r >= 8) unseen += name(r) + "\n";
    if (r % 3 == 0 && r < 8) validation += name(r) + "\n";
    add_row(attributes, name(r), embeddings, r);
  }
  for (Index i = 0; i < 48; ++i) add_row(table, name(i % 12), features, i);
  write_bytes(folder + "/features.csv", table + "\n");
  write_bytes(folder + "/embeddings/att.csv", attributes + "\n");
  write_bytes(folder + "/classes.txt", classes);
  write_bytes(folder + "/unseen_classes.txt", unseen);
  write_bytes(folder + "/validation_classes.txt", validation);
}

TEST_CASE(
    "reproduce_paper prints the paper's table and ours for both data sets, and does not change "
    "their folders") {
  const TemporaryFolder folder;
  write_awa(folder / "awa");
  write_cub(folder / "cub");
  const std::set<std::string> before = listing(folder.path());
  const TemporaryFolder results;
  const Finished run =
      reproduce({"--awa", folder / "awa", "--cub", folder / "cub", "-o", results / "out"});
  CAPTURE(run.out);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(listing(folder.path()) == before);
  CHECK(fs::exists(results / "out/awa/divergence.npy"));
  CHECK(fs::exists(results / "out/cub/divergence.npy"));

  std::map<std::string, std::vector<std::string>> table;  // by method
  for (const std::string& line : lines_of(read_bytes(results / "out/table2.txt"))) {
    std::istringstream words(line);
    std::string method, word;
    words >> method;
    while (words >> word) table[method].push_back(word);
  }
  // The measures of bzscr-compare; for SJE, ALE and CCA those of the form with the lower error
  // rate.
  const std::map<std::string, std::string> word_of = {{"BZ-SCR", "bzscr"}, {"Boosting", "boosting"},
                                                      {"SJE", "sje"},      {"ALE", "ale"},
                                                      {"NR", "nr"},        {"CCA", "cca"}};
  const auto measured = [&](const std::string& set, const std::string& method) {
    const Json compared = Json::parse(read_bytes(results / "out/" + set + ".json"));
    std::pair<double, double> best = {2, 2};  // error rate, mean Delta
    for (const Json& each : compared["methods"])
      if (each["method"] == word_of.at(method))
        best = std::min(
            best, std::pair(each["error_rate"].get<double>(), each["mean_delta"].get<double>()));
    return best;
  };
  for (const auto& row : rows_of(kExample + "/table2.tsv")) {
    CAPTURE(row[0]);
    REQUIRE(table[row[0]].size() == 8);
    for (std::size_t c = 0; c < 4; ++c) {
      CAPTURE(c);
      CHECK(table[row[0]][2 * c] == row[c + 1]);
      const auto [error_rate, mean_delta] = measured(c < 2 ? "awa" : "cub", row[0]);
      const double expected = c % 2 == 0 ? mean_delta : error_rate;
      CHECK(std::fabs(std::stod(table[row[0]][2 * c + 1]) - expected) <= 0.5001e-4);
    }
  }
  CHECK(run.out.find("BZ-SCR") != std::string::npos);
}

TEST_CASE("reproduce_paper reports missing input and compares nothing") {
  const TemporaryFolder folder;
  CHECK(reproduce({}).exit_code == 2);
  CHECK(reproduce({"--help"}).out.find("--awa DATA") != std::string::npos);
  CHECK(reproduce({"--aaw", "x"}).err ==
        "reproduce.sh: unknown argument '--aaw'; expected --awa DATA or --cub DATA (--help tells "
        "more)\n");
  CHECK(reproduce({"--awa"}).err ==
        "reproduce.sh: --awa is followed by nothing; expected a value\n");
  const Finished nowhere = reproduce({"--awa", folder / "none", "-o", folder / "out"});
  CHECK(nowhere.exit_code != 0);
  CHECK(nowhere.err.find(folder / "none: no such folder") != std::string::npos);
  write_cub(folder / "cub");
  const Finished birds =
      reproduce({"--awa", folder / "cub", "--awa-embedding", "att", "-o", folder / "out"});
  CHECK(birds.exit_code == 2);
  CHECK(birds.err.find("classes.txt:1: \"001.Some_Bird\" is no class of AWA") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "out/awa.json"));
}

}  // namespace
}  // namespace bzscr::test
