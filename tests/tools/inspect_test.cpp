#include "support/json.h"
#include "support/model_builder.h"

#include "bzscr_rt/bzscr_rt.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

using namespace bzscr;
using namespace bzscr::test;

namespace {

struct Run {
  int exit_code;
  std::string out;
  std::string err;
};

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A temporary folder, removed by the destructor.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/bzscr_inspect_test.XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Run inspect(const Folder& folder, const std::string& arguments) {
  const std::string command = std::string(BZSCR_INSPECT) + " " + arguments + " >" +
                              (folder / "out") + " 2>" + (folder / "err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder / "out"),
          contents(folder / "err")};
}

std::string write(const Folder& folder, const TestModel& model) {
  const std::string path = folder / "model.bzscr";
  const AlignedBytes bytes = serialise(model);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return path;
}

TestModel example() {
  TestModel model = random_model(12, 5, 3, 4);
  model.feature_scaling = format::FeatureScaling::Unit;
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = random_vector(5, 99);
  model.seen_penalty = 0.25f;
  model.classes[2].name = "okapi";
  return model;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("--json writes one object with everything that the model holds") {
  const Folder folder;
  const Run run = inspect(folder, "--json " + write(folder, example()));
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.empty());
  const Json said = Json::parse(run.out);
  CHECK(said["features"] == 12);
  CHECK(said["feature_scaling"] == "unit");
  CHECK(said["embedding"] == "hypernyms");
  CHECK(said["embedding_dimension"] == 5);
  CHECK(said["embedding_parts"] == Json::parse("[5]"));
  CHECK(said["embedding_scaling"] == "centre-unit");
  CHECK(said["weak_models"] == 3);
  CHECK(said["classes"] == 4);
  CHECK(said["seen_classes"] == 2);
  CHECK(said["unseen_classes"] == 2);
  CHECK(said["seen_penalty"] == 0.25);
  CHECK(said["nu"] == 1e-3);
  CHECK(said["beta"] == 0.4);
  CHECK(said["objective"] == 12.5);
  CHECK(said["lower_bound"] == 12.375);
  CHECK(said["relative_gap"] == 0.01);
  CHECK(said["method"] == "bzscr");
  CHECK(said["solver"] == "refine");
  CHECK(said["divergence"] == "cosine");
  CHECK(said["iterations"] == 7);
  CHECK(said["samples"] == 600);
  CHECK(said["seed"] == 42);
  CHECK(said["tuned"] == true);
  CHECK(said["validation_error"] == 0.25);
  CHECK(said["validation_harmonic"].is_null());
  CHECK(said["data_hash"] == "abababababababababababababababab");
  CHECK(said["form"] == "prototypes");
  CHECK(said["class_list"][2] == Json::parse(R"({"id": 23, "name": "okapi", "seen": true})"));
}

TEST_CASE("the arena size of --json is that of bzscr_rt_arena_bytes") {
  const Folder folder;
  const AlignedBytes bytes = serialise(example());
  bzscr_rt_config config{};
  config.struct_size = sizeof config;
  config.model = bytes.data();
  config.model_bytes = bytes.size();
  config.class_capacity = 77;
  config.name_bytes = 20;
  config.form = BZSCR_RT_FORM_DENSE;
  REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
  const Run run = inspect(
      folder, "--json --capacity 77 --name-bytes 20 --form dense " + write(folder, example()));
  CHECK(Json::parse(run.out)["arena_bytes"] == config.arena_bytes);
  CHECK(Json::parse(run.out)["form"] == "dense");
}

TEST_CASE("a model without a training record has nulls for it") {
  const Folder folder;
  TestModel model = example();
  model.with_training = false;
  const Json said = Json::parse(inspect(folder, "--json " + write(folder, model)).out);
  for (const char* key : {"embedding", "nu", "beta", "objective", "relative_gap", "data_hash",
                          "seed", "validation_error"}) {
    CAPTURE(key);
    REQUIRE(said.contains(key));
    CHECK(said[key].is_null());
  }
  CHECK(contains(inspect(folder, write(folder, model)).out, "no record"));
}

TEST_CASE("the output is valid JSON for numbers and names that JSON cannot represent") {
  const Folder folder;
  TestModel model = example();
  model.objective = std::numeric_limits<double>::quiet_NaN();
  model.classes[0].name = "caf\xE9";
  const Run run = inspect(folder, "--json " + write(folder, model));
  REQUIRE(run.exit_code == 0);
  CHECK(Json::parse(run.out)["objective"].is_null());
}

TEST_CASE("the text output has the shapes, the classes, the training and the arena size") {
  const Folder folder;
  const Run run = inspect(folder, write(folder, example()));
  REQUIRE(run.exit_code == 0);
  for (const char* part :
       {"sound", "12 values, scaled to unit length", "hypernyms: 5 values, centred", "okapi",
        "2 seen and 2 unseen", "refine", "arena", "prototypes"}) {
    CAPTURE(part);
    CHECK(contains(run.out, part));
  }
}

TEST_CASE("the parts of a joined embedding are listed") {
  const Folder folder;
  TestModel model = example();
  model.format_version = 2;
  model.parts = {2, 3};
  const std::string path = write(folder, model);
  CHECK(Json::parse(inspect(folder, "--json " + path).out)["embedding_parts"] ==
        Json::parse("[2, 3]"));
  CHECK(
      contains(inspect(folder, path).out, "hypernyms: 5 values in parts of 2 and 3, each centred"));
}

TEST_CASE("the form of scores, own parts, the transform of features and teaching are said") {
  const Folder folder;
  TestModel model = random_model_with_forms(12, 5, 4, 4, format::ScoreForm::Cosine);
  model.w[2] = model.w[3] = 0;
  model.teaching = TestTeaching{2, 0.25f, 1.5f, {0.125f, 0.75f}, {0, 5}};
  const std::string path = write(folder, model);
  const Json said = Json::parse(inspect(folder, "--json " + path).out);
  CHECK(said["feature_scaling"] == "standard");
  CHECK(said["feature_centring"] == true);
  CHECK(said["weak_models"] == 2);
  CHECK(said["teaching_directions"] == 2);
  CHECK(said["score"] == "cosine");
  CHECK(said["own_part"] == true);
  CHECK(said["teaching"] == Json::parse(R"({"blend": 2, "offset": 0.25, "length": 1.5, "accuracy":
      [{"shots": 0, "accuracy": 0.125}, {"shots": 5, "accuracy": 0.75}]})"));
  const std::string text = inspect(folder, path).out;
  for (const char* part :
       {"12 values, standardised one by one, then scaled to unit length, then centred\n",
        "2, and 2 directions of the features that only taught classes use\n", "cosine: the row",
        "of each seen class, beside its embedding", "a = n / (n + 2) against its embedding; 0.25 a",
        "by number of samples: 0: 0.125, 5: 0.750\n"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }

  const Run plain = inspect(folder, "--json " + write(folder, example()));
  const Json none = Json::parse(plain.out);
  CHECK(none["score"] == "plain");
  CHECK(none["feature_centring"] == false);
  CHECK(none["own_part"] == false);
  CHECK(none["teaching_directions"] == 0);
  CHECK(none["teaching"].is_null());
  CHECK(contains(inspect(folder, folder / "model.bzscr").out, "the model cannot be taught"));
}

TEST_CASE("a model without classes or weak models is described too") {
  const Folder folder;
  CHECK(inspect(folder, write(folder, random_model(4, 3, 0, 0))).exit_code == 0);
}

TEST_CASE("a file that is not a valid model gives one error message, exit code 2 and no output") {
  const Folder folder;
  const std::string path = write(folder, example());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  std::ofstream(folder / "text") << "not a model at all";
  std::ofstream(folder / "empty");
  std::ofstream(folder / "pointer") << "version https://git-lfs.github.com/spec/v1\noid x\n";
  const std::pair<std::string, const char*> cases[] = {{path, "damaged"},
                                                       {folder / "text", "not a BZ-SCR file"},
                                                       {folder / "empty", "not a BZ-SCR file"},
                                                       {folder / "pointer", "git lfs pull"},
                                                       {folder / "absent", "No such file"},
                                                       {"/tmp", "folder"}};
  for (const auto& [file, reason] : cases) {
    CAPTURE(file);
    for (const char* json_or_not : {"", "--json "}) {
      const Run run = inspect(folder, json_or_not + file);
      CHECK(run.exit_code == 2);
      CHECK(run.out.empty());
      CHECK(contains(run.err, "bzscr-inspect: " + file + ": "));
      CHECK(contains(run.err, reason));
      CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    }
  }
}

TEST_CASE("a typo on the command line is reported with the nearest word and exit code 2") {
  const Folder folder;
  const std::string model = write(folder, example());
  const std::pair<std::string, const char*> cases[] = {
      {"--jsn " + model, "unknown option '--jsn'; did you mean '--json'?"},
      {"--jsno", "did you mean '--json'?"},
      {"--capcity=9 " + model, "unknown option '--capcity'; did you mean '--capacity'?"},
      {"--frobnicate " + model, "unknown option '--frobnicate'; --help lists the options"},
      {"--form densee " + model, "did you mean 'dense'?"},
      {"--capacity many " + model, "--capacity"},
      {"--capacity 2 " + model,
       "there are more classes than the class table has room for: 4 in the model, and room for 2"},
      {model + " another", "'another' is one argument too many"},
      {"", "MODEL is required"}};
  for (const auto& [arguments, reason] : cases) {
    CAPTURE(arguments);
    const Run run = inspect(folder, arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(contains(run.err, reason));
  }
}

TEST_CASE("--help and --version print their text and exit with 0") {
  const Folder folder;
  CHECK(inspect(folder, "--help").exit_code == 0);
  CHECK(contains(inspect(folder, "--help").out, "--json"));
  CHECK(contains(inspect(folder, "--version").out, bzscr_rt_version()));
}
