#include "dataset_files.h"
#include "json.h"
#include "run_program.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace bzscr {
namespace {

using test::DataFolder;
using test::Finished;
using test::Json;

Finished bench(const std::vector<std::string>& arguments) {
  return test::run_program(BZSCR_BENCH_TRAIN, arguments);
}

Json json_of(const Finished& run) {
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return Json::parse(run.out);  // throws unless it is exactly one object
}

std::vector<std::string> names(const Json& costs, const char* kind) {
  std::vector<std::string> names;
  for (const Json& cost : costs) names.push_back(cost[kind]);
  return names;
}

const Json& phase(const Json& json, const std::string& name) {
  for (const Json& each : json["phases"])
    if (each["phase"] == name) return each;
  FAIL("no phase " << name);
  return json;
}

/// Checks the costs of a phase or pass that visited the samples.
void check_cost(const Json& cost) {
  CAPTURE(cost.dump());
  CHECK(cost["evaluations"] > 0);
  CHECK(cost["feature_bytes"] > 0);
  CHECK(cost["peak_memory_bytes"] > 0);
  for (const char* key : {"seconds", "gflops", "gflops_in_products", "gbytes_per_second"})
    CHECK(cost[key] > 0.0);
  for (const char* key :
       {"share_of_peak", "share_of_peak_in_products", "share_in_products", "share_in_losses"}) {
    CAPTURE(key);
    CHECK(cost[key] > 0.0);
    CHECK(cost[key] < 1.5);
  }
}

TEST_CASE("the output lists the phases of a run, then the single passes") {
  const DataFolder data;
  const Finished run = bench(
      {data.path(), "--nu", "1e-2", "--beta", "0.4", "--threads", "1", "--repeats", "2", "--json"});
  const Json json = json_of(run);
  CHECK(run.err.empty());
  CHECK(json["data"] == data.path());
  CHECK(json["embedding"] == "words");
  CHECK(json["samples"] == 33);  // 36 of seen classes, 3 of them in test_seen.npy
  CHECK(json["features"] == 5);
  CHECK(json["seen_classes"] == 6);
  CHECK(json["target_classes"] == 2);
  CHECK(json["method"] == "bzscr");
  CHECK(json["solver"] == "refine");
  CHECK(json["nu"] == 1e-2);
  CHECK(json["beta"] == 0.4);
  CHECK(json["threads"] == 1);
  CHECK(json["peak_gflops"] > 0.0);
  CHECK(json["weak_models"] > 0);
  CHECK(json["relative_gap"] < 1e-3);
  CHECK((json["product_kernel"] == "avx512" || json["product_kernel"] == "blas"));

  CHECK(names(json["phases"], "phase") == std::vector<std::string>{"reading", "training"});
  CHECK(names(json["passes"], "pass") ==
        std::vector<std::string>{"gradient by factors", "gradient by W", "dual", "losses"});
  check_cost(phase(json, "training"));
  for (const Json& pass : json["passes"]) {
    check_cost(pass);
    CHECK(pass["feature_bytes"] == 33 * 5 * 4);
  }
  CHECK(phase(json, "reading")["evaluations"] == 0);
  CHECK(phase(json, "reading")["gflops"].is_null());
}

TEST_CASE("bzscr-bench-train makes the same passes over the samples as bzscr-train") {
  const DataFolder data;
  const std::vector<std::vector<std::string>> choices = {
      {"--nu", "1e-2", "--beta", "0.4"},
      {"--nu", "1e-2", "--beta", "0.4", "--method", "boosting"},
      {"--nu", "3e-2"},
      {"--nu", "1e-2", "--beta", "0.4", "--solver", "paper"},
  };
  for (std::vector<std::string> arguments : choices) {
    CAPTURE(fmt::format("{}", fmt::join(arguments, " ")));
    arguments.insert(arguments.end(), {data.path(), "--json"});
    const Json benched = json_of(bench(arguments));
    arguments.insert(arguments.end(), {"--no-calibration", "--quiet", "-o", data / "model.bzscr"});
    const Json trained = json_of(test::run_program(BZSCR_TRAIN, arguments));
    for (const char* key : {"evaluations", "weak_models", "nu", "beta", "relative_gap"}) {
      CAPTURE(key);
      CHECK(benched[key] == trained[key]);
    }
  }
}

TEST_CASE("choosing hyper-parameters is a separate phase") {
  const DataFolder data;
  const Json tuned = json_of(bench({data.path(), "--nu", "3e-2", "--json"}));
  CHECK(names(tuned["phases"], "phase") ==
        std::vector<std::string>{"reading", "tuning", "training"});
  check_cost(phase(tuned, "tuning"));
  const Json printed =
      json_of(bench({data.path(), "--nu", "1e-2", "--beta", "0.4", "--solver", "paper", "--json"}));
  CHECK(names(printed["phases"], "phase") ==
        std::vector<std::string>{"reading", "validation", "training"});
  check_cost(phase(printed, "validation"));
}

TEST_CASE("without --json the output is a table with units") {
  const DataFolder data;
  const Finished run = bench({data.path(), "--nu", "1e-2", "--beta", "0.4"});
  CHECK(run.exit_code == 0);
  for (const char* part :
       {"33 samples, 5 features, 6 seen and 2 target classes", "embedding 'words'", "GFLOP/s",
        "\nreading ", "\ntraining ", "\ngradient by factors ", "\ngradient by W ", "\ndual ",
        "\nlosses ", "MB read", "memory MB"}) {
    CAPTURE(part);
    CHECK(run.out.find(part) != std::string::npos);
  }
}

TEST_CASE("misuse gives one error message and exit code 2") {
  const DataFolder data;
  struct Misuse {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Misuse> misuses = {
      {{"--nu", "0"}, "--nu is 0; expected a number above 0, below a million"},
      {{"--beta", "-1"}, "--beta is -1; expected a number of at least 0, below a million"},
      {{"--threads", "-1"}, "--threads is -1; expected 0 to 1024"},
      {{"--repeats", "0"}, "--repeats is 0; expected 1 or more"},
      {{"--method", "bosting"},
       "--method: 'bosting' is none of bzscr|boosting; did you mean 'boosting'?"},
      {{"--solver", "papers"}, "--solver: 'papers' is none of refine|paper; did you mean 'paper'?"},
      {{"--jsno"}, "unknown option '--jsno'; did you mean '--json'?"},
      {{"more"}, "'more' is one argument too many; usage: bzscr-bench-train DATA [OPTIONS]"},
      {{"--embedding", "wrds"},
       data.path() + "/embeddings: holds no embedding 'wrds', only words; did you mean 'words'?"},
  };
  for (const Misuse& misuse : misuses) {
    CAPTURE(misuse.message);
    std::vector<std::string> arguments = {data.path()};
    arguments.insert(arguments.end(), misuse.arguments.begin(), misuse.arguments.end());
    const Finished run = bench(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(run.err == "bzscr-bench-train: " + misuse.message + "\n");
  }
  CHECK(bench({data / "none", "--nu", "1e-2"}).exit_code == 2);
  CHECK(bench({}).exit_code == 2);
}

TEST_CASE("help and version are printed on standard output") {
  const Finished help = bench({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.out.find("--repeats") != std::string::npos);
  CHECK(help.err.empty());
  CHECK(bench({"--version"}).out.rfind("bzscr-bench-train ", 0) == 0);
}

}  // namespace
}  // namespace bzscr
