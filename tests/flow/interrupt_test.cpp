// Ctrl-C during a run: it writes the best model so far, or reports that there is none.
#include "train.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

namespace bzscr::test {
namespace {

using std::chrono::milliseconds;

/// Waits until the history has `lines` lines, including the settings (for 0: until the file
/// exists), then sends the signal. A run that does not end after that is killed, which its exit
/// code shows.
std::function<void(int)> interrupt_after(const std::string& history, std::size_t lines,
                                         int signal = SIGINT, milliseconds then = milliseconds(0)) {
  return [=](int pid) {
    for (int wait = 0; wait < 30000; wait += 2) {
      if (std::filesystem::exists(history) && lines_of(read_bytes(history)).size() >= lines) {
        std::this_thread::sleep_for(then);
        kill(pid, signal);
        return;
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
    kill(pid, SIGKILL);
  };
}

/// Arguments of a run that does not end, because its gap cannot be reached.
std::vector<std::string> endless(const TemporaryFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> arguments = {
      kCaltech,    "--embedding",        "hypernyms", "--gap",
      "1e-15",     "--max-iterations",   "1000000",   "--quiet",
      "--history", folder / "run.jsonl", "-o",        folder / "model.bzscr"};
  if (std::find(more.begin(), more.end(), "paper") != more.end())  // it has no gap
    arguments.erase(arguments.begin() + 3, arguments.begin() + 5);
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_CASE("Ctrl-C during training writes the best model so far, reports it and exits with 130") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    const Finished run = train(endless(folder, {"--nu", "0.03", "--beta", "0.4"}),
                               interrupt_after(folder / "run.jsonl", 4, signal));
    CAPTURE(run.err);
    CHECK(run.exit_code == 130);
    CHECK(run.out.find("interrupted; this is the best model so far") != std::string::npos);
    const auto model = inspect_model(folder / "model.bzscr");
    CHECK(model["weak_models"].get<int>() >= 1);
    CHECK(model["iterations"].get<int>() >= 3);
    CHECK(model["nu"] == 0.03);
  }
}

TEST_CASE(
    "Ctrl-C during --solver paper, in its validation or its training, writes the best model so "
    "far") {
  for (const char* early_stopping : {"--early-stopping", "--no-early-stopping"}) {
    CAPTURE(early_stopping);
    const TemporaryFolder folder;
    const Finished run = train(
        endless(folder, {"--nu", "0.001", "--beta", "0.4", "--solver", "paper", "--min-iterations",
                         "100000", "--tolerance", "0", "--json", early_stopping}),
        interrupt_after(folder / "run.jsonl", 3));
    CAPTURE(run.err);
    CHECK(run.exit_code == 130);
    const auto json = Json::parse(run.out);
    CHECK(json["ending"].get<std::string>().find("interrupted") == 0);
    CHECK(inspect_model(folder / "model.bzscr")["weak_models"] == json["weak_models"]);
  }
}

TEST_CASE(
    "Ctrl-C while nu and beta are chosen writes the best model tried, and reports what was not "
    "done") {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {kCaltech,  "--embedding",         "hypernyms",
                                        "--quiet", "--history",           folder / "run.jsonl",
                                        "-o",      folder / "model.bzscr"};
  const Finished run = train(arguments, interrupt_after(folder / "run.jsonl", 2));
  CAPTURE(run.err);
  CHECK(run.exit_code == 130);
  if (run.out.empty()) {  // the point being tried had no weak model yet
    CHECK(run.err == "bzscr-train: interrupted before there was a model; nothing written\n");
    CHECK_FALSE(std::filesystem::exists(folder / "model.bzscr"));
  } else {
    CHECK(run.out.find("interrupted before the run on all seen classes: the validation classes "
                       "were left out") != std::string::npos);
    CHECK(inspect_model(folder / "model.bzscr")["tuned"] == true);
  }
}

TEST_CASE("Ctrl-C at any moment leaves either a valid model, or no model and an error message") {
  for (const int wait : {0, 3, 10, 30, 100, 300}) {
    CAPTURE(wait);
    const TemporaryFolder folder;
    const Finished run =
        train(endless(folder, {"--nu", "0.03", "--beta", "0.4"}),
              interrupt_after(folder / "run.jsonl", 0, SIGINT, milliseconds(wait)));
    CHECK(run.exit_code == 130);
    if (run.out.empty()) {
      // After a note on the example: some of its classes have the same hypernyms.
      const std::string last = lines_of(run.err).back();
      CHECK(last == "bzscr-train: interrupted before there was a model; nothing written");
      CHECK_FALSE(std::filesystem::exists(folder / "model.bzscr"));
    } else {
      CHECK(inspect_model(folder / "model.bzscr")["weak_models"].get<int>() >= 1);
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      const std::string name = entry.path().filename().string();
      CHECK((name == "run.jsonl" || name == "model.bzscr"));
    }
  }
}

}  // namespace
}  // namespace bzscr::test
