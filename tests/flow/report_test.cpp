// The history and the report of a training.
#include "train.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace bzscr::test {
namespace {

using Arguments = std::vector<std::string>;

std::vector<Json> history_of(const std::string& path) {
  std::vector<Json> lines;
  for (const std::string& line : lines_of(read_bytes(path))) lines.push_back(Json::parse(line));
  return lines;
}

TEST_CASE(
    "errors by iteration are recorded if --curves asks for them, and the model has the same "
    "bytes") {
  for (const char* solver : {"refine", "paper"}) {
    CAPTURE(solver);
    const DataFolder data;
    const Arguments run = {data.path(), "--nu",     "0.01", "--beta",
                           "0.4",       "--solver", solver, "--max-iterations",
                           "30",        "--quiet",  "-o"};
    const auto with = [&](const char* model, const Arguments& more) {
      Arguments all = run;
      all.push_back(data / model);
      all.insert(all.end(), more.begin(), more.end());
      return train(all);
    };
    REQUIRE(with("plain.bzscr", {}).exit_code == 0);
    REQUIRE(with("curves.bzscr", {"--history", data / "run.jsonl", "--curves", "test"}).exit_code ==
            0);
    CHECK(read_bytes(data / "plain.bzscr") == read_bytes(data / "curves.bzscr"));
    int held_out = 0, training = 0;
    Json last;
    for (const Json& line : history_of(data / "run.jsonl")) {
      if (line["phase"] == "validation") {
        ++held_out;
        CHECK(line["training_error"].is_number());
        CHECK(line["validation_error"].is_number());
        CHECK(line["test_error"].is_null());
      } else if (line["phase"] == "training") {
        ++training;
        CHECK(line["training_error"].is_number());
        CHECK(line["validation_error"].is_null());
        CHECK(line["test_error"].is_number());
        last = line;
      }
    }
    CHECK(held_out > 0);
    CHECK(training > 0);
    const Json result = history_of(data / "run.jsonl").back();
    CHECK(result["phase"] == "result");
    if (std::string(solver) == "refine")  // the model is that of the last iteration
      CHECK(last["test_error"].get<double>() ==
            doctest::Approx(1 - result["unseen"]["per_class_top1"].get<double>()));
  }
}

TEST_CASE("the test of unseen classes counts each of their samples once") {
  const DataFolder data;
  REQUIRE(train({data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet", "--history",
                 data / "run.jsonl", "-o", data / "m.bzscr"})
              .exit_code == 0);
  const Json unseen = history_of(data / "run.jsonl").back()["unseen"];
  CHECK(unseen["samples"] == 12);
  int all = 0, right = 0;
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 2; ++c) {
      all += unseen["confusion"][r][c].get<int>();
      if (r == c) right += unseen["confusion"][r][c].get<int>();
    }
  CHECK(all == 12);
  CHECK(unseen["error_rate"].get<double>() == doctest::Approx(1 - right / 12.0));
}

TEST_CASE(
    "--report writes the page with the curves of validation classes, unless --curves excludes "
    "them") {
  const DataFolder data;
  const Arguments run = {data.path(), "--nu", "0.01",           "--beta",   "0.4",
                         "--quiet",   "-o",   data / "m.bzscr", "--report", data / "run.html"};
  REQUIRE(train(run).exit_code == 0);
  const std::string page = read_bytes(data / "run.html");
  for (const char* text :
       {"<!doctype html>", "gnu", "hen", "Error by iteration, validation classes held out",
        "Certified gap", "Confusion", "</html>"})
    CHECK(page.find(text) != std::string::npos);
  CHECK(page.find("test classes (unseen") == std::string::npos);  // not requested
  Arguments declined = run;
  declined.insert(declined.end(), {"--curves", "none"});
  REQUIRE(train(declined).exit_code == 0);
  CHECK(read_bytes(data / "run.html").find("Errors by iteration were not recorded") !=
        std::string::npos);
}

TEST_CASE("if no class can be held out, the report has no curves of validation classes") {
  const DataFolder data;
  data.text("unseen_classes.txt", "cat\ndog\neel\nfox\ngnu\n");
  data.remove("validation_classes.txt");
  data.remove("test_seen.npy");
  const Finished run = train({data.path(), "--nu", "0.01", "--beta", "0.4", "-o", data / "m.bzscr",
                              "--report", data / "run.html"});
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("note: validation errors by iteration are not measured: ") !=
        std::string::npos);
  CHECK(std::filesystem::exists(data / "run.html"));
}

TEST_CASE(
    "the history and the page of other methods hold the settings, the points tried, the choice and "
    "the test of unseen classes") {
  const DataFolder data;
  for (const char* method : {"sje", "eszsl"}) {
    CAPTURE(method);
    REQUIRE(train({data.path(), "--method", method, "--quiet", "-o", data / "m.bzscr", "--history",
                   data / "run.jsonl", "--report", data / "run.html"})
                .exit_code == 0);
    const std::vector<Json> lines = history_of(data / "run.jsonl");
    CHECK(lines.front()["phase"] == "settings");
    CHECK(lines.front()["settings"]["method"] == method);
    CHECK_FALSE(lines.front()["settings"].contains("nu"));
    CHECK(lines.back()["phase"] == "result");
    CHECK(lines.back()["unseen"]["samples"] == 12);
    const Finished run = run_program(BZSCR_EVAL, {data / "m.bzscr", data.path(), "--json"});
    CHECK(lines.back()["unseen"]["per_class_top1"].get<double>() ==
          doctest::Approx(Json::parse(run.out)["per_class_top1"].get<double>()));
    const std::string page = read_bytes(data / "run.html");
    for (const char* text :
         {"Choosing parameters", "Confusion", "Settings tried on validation classes"})
      CHECK(page.find(text) != std::string::npos);
    for (const char* text : {"Certified gap", "Effect of beta"})
      CHECK(page.find(text) == std::string::npos);
  }
}

TEST_CASE(
    "a resumed run appends to the complete lines of its history, and a new run overwrites the "
    "history") {
  const DataFolder data;
  const std::string history = data / "run.jsonl";
  const Arguments run = {data.path(), "--nu", "0.01",           "--beta",    "0.4",
                         "--quiet",   "-o",   data / "m.bzscr", "--history", history};
  REQUIRE(train(run).exit_code == 0);
  const std::string first = read_bytes(history);
  write_bytes(history, first + "{\"phase\":\"trai");  // killed while writing
  Arguments resumed = run;
  resumed.insert(resumed.end(), {"--checkpoint", data / "run.ckpt", "--resume"});
  REQUIRE(train(resumed).exit_code == 0);
  const std::string both = read_bytes(history);
  CHECK(both.rfind(first, 0) == 0);
  CHECK(history_of(history).size() == 2 * lines_of(first).size());
  REQUIRE(train(run).exit_code == 0);
  CHECK(lines_of(read_bytes(history)).size() == lines_of(first).size());
}

TEST_CASE("a history that can no longer be written is reported once, and the training continues") {
  const DataFolder data;
  const Finished run = train({data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet", "-o",
                              data / "m.bzscr", "--history", "/dev/full"});
  CHECK(run.exit_code == 0);
  CHECK(lines_of(run.err).size() == 1);
  CHECK(run.err.rfind(
            "bzscr-train: note: history /dev/full: cannot be written: No space left on device; "
            "training continues without it\n",
            0) == 0);
  CHECK(std::filesystem::exists(data / "m.bzscr"));
}

}  // namespace
}  // namespace bzscr::test
