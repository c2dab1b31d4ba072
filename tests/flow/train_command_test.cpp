// The command line of bzscr-train: its output, files and exit codes.
#include "train.h"

#include "support/wordnet_builder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>

namespace bzscr::test {
namespace {

using Arguments = std::vector<std::string>;

/// All files and folders under a folder.
std::set<std::string> listing(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    names.insert(entry.path().string());
  return names;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST_CASE("--json prints one object with the documented fields, and nothing else") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  const Finished run = train({data.path(), "--nu", "0.01", "--beta", "0.4", "--json", "-o", model});
  REQUIRE(run.exit_code == 0);
  const Json json = Json::parse(run.out);  // throws unless it is exactly one object
  CHECK(keys_of(json) == std::set<std::string>{"base",
                                               "beta",
                                               "bytes_communicated",
                                               "classes",
                                               "divergence",
                                               "embedding",
                                               "ending",
                                               "evaluations",
                                               "iterations",
                                               "lower_bound",
                                               "method",
                                               "model",
                                               "model_bytes",
                                               "nu",
                                               "objective",
                                               "peak_memory_bytes",
                                               "processes",
                                               "relative_gap",
                                               "ridge",
                                               "samples",
                                               "seconds",
                                               "seconds_communicating",
                                               "seconds_in_passes",
                                               "seconds_training",
                                               "seen_penalty",
                                               "solver",
                                               "split",
                                               "taught",
                                               "tried",
                                               "tuned",
                                               "unseen_classes",
                                               "validation_error",
                                               "validation_harmonic",
                                               "weak_models"});
  CHECK(json["model"] == model);
  CHECK(json["model_bytes"] == read_bytes(model).size());
  CHECK(json["nu"] == 0.01);
  CHECK(json["beta"] == 0.4);
  CHECK(json["method"] == "bzscr");
  CHECK(json["solver"] == "refine");
  CHECK(json["divergence"] == "cosine");
  CHECK(json["embedding"] == "words");
  CHECK(json["classes"] == 8);
  CHECK(json["unseen_classes"] == 2);
  CHECK(json["samples"] == 36 - 3 +
                               std::count_if(data.labels.begin() + 40, data.labels.begin() + 43,
                                             [](auto y) { return y >= 6; }));
  CHECK(json["split"]["training_samples"] == json["samples"]);
  CHECK(json["split"]["test_seen_samples"] == 3);
  CHECK(json["split"]["unseen_samples"] == 12);
  CHECK(json["split"]["hash"].get<std::string>().size() == 32);
  CHECK(json["tuned"] == false);
  CHECK(json["tried"].empty());
  CHECK(json["validation_error"].is_null());
  CHECK(json["relative_gap"].get<double>() <= 1e-3);
  CHECK(json["lower_bound"].get<double>() <= json["objective"].get<double>());
  CHECK(json["seconds"].get<double>() > 0);

  const Json inspected = inspect_model(model);
  for (const char* field : {"objective", "lower_bound", "relative_gap", "weak_models", "iterations",
                            "samples", "nu", "ridge", "beta", "base"})
    CHECK(json[field] == inspected[field]);
}

TEST_CASE("without --nu and --beta both are chosen, and --json lists the points tried") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  const Finished run = train({data.path(), "--json", "--quiet", "-o", model});
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.empty());
  const Json json = Json::parse(run.out);
  CHECK(json["tuned"] == true);
  REQUIRE(json["tried"].size() >= 4);
  double lowest = 2;
  std::set<double> betas;
  for (const Json& point : json["tried"]) {
    CHECK(keys_of(point) ==
          std::set<std::string>{"beta", "evaluations", "nu", "validation_error", "weak_models"});
    lowest = std::min(lowest, point["validation_error"].get<double>());
    betas.insert(point["beta"].get<double>());
  }
  CHECK(betas == std::set<double>{0, 0.1, 0.4, 1});
  CHECK(json["validation_error"] == lowest);
  CHECK(inspect_model(model)["tuned"] == true);

  const Json only_nu =
      Json::parse(train({data.path(), "--json", "--quiet", "--beta", "0.1", "-o", model}).out);
  for (const Json& point : only_nu["tried"]) CHECK(point["beta"] == 0.1);
  const Json only_beta =
      Json::parse(train({data.path(), "--json", "--quiet", "--nu", "0.03", "-o", model}).out);
  CHECK(only_beta["tried"].size() == 4);
  for (const Json& point : only_beta["tried"]) CHECK(point["nu"] == 0.03);
}

TEST_CASE("the text output describes the data set, the result and the file written") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  const Finished run = train({data.path(), "--nu", "0.01", "--beta", "0.4", "-o", model});
  CHECK(run.exit_code == 0);
  const std::vector<std::string> words = lines_of(run.out);
  REQUIRE(words.size() == 5);
  CHECK(contains(words[0],
                 "samples of 6 seen classes, 2 unseen classes, 5 features, embedding words (3)"));
  CHECK(contains(words[1],
                 ": 6 seen and 2 unseen classes; samples: 33 to train on, 3 held out of seen "
                 "classes, 12 of unseen classes"));
  CHECK(contains(words[2], "bzscr, converged: "));
  CHECK(contains(words[3],
                 "is subtracted from the scores of seen ones (harmonic mean of accuracies "));
  CHECK(contains(words[4], model + ": " + std::to_string(read_bytes(model).size()) + " bytes"));
  // Standard error is not a terminal: one line per iteration, without control characters.
  const std::vector<std::string> progress = lines_of(run.err);
  CHECK(progress.size() >= 2);
  for (const std::string& line : progress)
    CHECK((line.rfind("training ", 0) == 0 || line.rfind("calibration ", 0) == 0));
  CHECK_FALSE(contains(run.err, "\x1b"));
  CHECK_FALSE(contains(run.err, "\r"));
}

TEST_CASE(
    "the penalty of seen classes is written to the model, and does not depend on test samples or "
    "unseen classes") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  const auto penalty = [&](const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {data.path(), "--nu",    "0.01", "--beta", "0.4",
                                          "--json",    "--quiet", "-o",   model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Json json = Json::parse(train(arguments).out), inspected = inspect_model(model);
    CHECK(json["validation_harmonic"] == inspected["validation_harmonic"]);
    const Json& teaching = inspected["teaching"];
    const Json recorded = teaching.is_null() ? Json::parse("[]") : teaching["accuracy"];
    REQUIRE(json["taught"].size() == recorded.size());
    for (std::size_t n = 0; n < recorded.size(); ++n) {
      CHECK(json["taught"][n]["shots"] == recorded[n]["shots"]);
      CHECK(json["taught"][n]["accuracy"].get<double>() ==
            doctest::Approx(recorded[n]["accuracy"].get<double>()));
    }
    CHECK(static_cast<float>(json["seen_penalty"].get<double>()) ==
          inspected["seen_penalty"].get<float>());
    return json["seen_penalty"].get<double>();
  };
  const double chosen = penalty();
  CHECK(chosen != 0);
  CHECK(inspect_model(model)["validation_harmonic"].get<double>() > 0);

  Matrix features = data.features;
  for (Index i = 0; i < DataFolder::kSamples; ++i)
    if (const bool test_seen = i >= 40 && i < 43;
        test_seen || data.labels[static_cast<std::size_t>(i)] >= 6)
      features.row(i) = -3 * features.row(47 - i);
  data.npy("features.npy", features);
  CHECK(penalty() == chosen);

  CHECK(penalty({"--no-calibration"}) == 0);
  CHECK(inspect_model(model)["validation_harmonic"].is_null());
}

TEST_CASE("--quiet prints nothing on standard error") {
  const DataFolder data;
  const Finished run =
      train({data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", data / "model.bzscr"});
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
}

TEST_CASE("--history writes a line of JSON for each iteration, with the documented fields") {
  const DataFolder data;
  const std::string history = data / "run.jsonl";
  for (const char* solver : {"refine", "paper"}) {
    CAPTURE(solver);
    const Finished run =
        train({data.path(), "--nu", "0.01", "--beta", "0.4", "--solver", solver, "--max-iterations",
               "40", "--json", "--history", history, "-o", data / "model.bzscr"});
    REQUIRE(run.exit_code == 0);
    Index training = 0, last_evaluations = 0;
    double last_seconds = 0;
    const std::vector<std::string> lines = lines_of(read_bytes(history));
    const Json first = Json::parse(lines.front()), last = Json::parse(lines.back());
    CHECK(keys_of(first) == std::set<std::string>{"phase", "program", "resumed", "settings"});
    CHECK(first["settings"]["solver"] == solver);
    CHECK(first["resumed"] == false);
    CHECK(keys_of(last) == std::set<std::string>{"phase", "result", "unseen"});
    CHECK(last["result"] == Json::parse(run.out));
    CHECK(last["unseen"]["classes"] == Json::parse(R"(["gnu", "hen"])"));
    for (std::size_t l = 1; l + 1 < lines.size(); ++l) {
      const Json at = Json::parse(lines[l]);
      CHECK(keys_of(at) == std::set<std::string>{"beta", "evaluations", "iteration", "lower_bound",
                                                 "nu", "objective", "phase", "relative_gap",
                                                 "samples", "seconds", "selected", "test_error",
                                                 "training_error", "validation_error", "violation",
                                                 "weak_models"});
      CHECK(at["training_error"].is_null());
      CHECK(at["test_error"].is_null());
      CHECK(at["nu"] == 0.01);
      CHECK(at["beta"] == 0.4);
      CHECK(at["objective"].get<double>() >=
            at["lower_bound"].get<double>() - 1e-6 * std::fabs(at["objective"].get<double>()));
      CHECK(at["seconds"].get<double>() >= last_seconds);
      CHECK(at["selected"].get<double>() > 0);
      CHECK(at["selected"].get<double>() <= 1);
      last_seconds = at["seconds"];
      if (at["phase"] == "calibration") {
        CHECK(at["validation_error"].is_null());
        continue;
      }
      if (at["phase"] != "training") {
        CHECK(at["phase"] == "validation");
        CHECK(std::string(solver) == "paper");
        CHECK(at["validation_error"].is_number());
        continue;
      }
      CHECK(at["validation_error"].is_null());
      CHECK(at["iteration"] == ++training);
      CHECK(at["evaluations"].get<Index>() > last_evaluations);
      last_evaluations = at["evaluations"].get<Index>();
    }
    CHECK(training == Json::parse(run.out)["iterations"].get<Index>());
  }
}

TEST_CASE("the history of a tuned run also holds every point that was tried") {
  const DataFolder data;
  const Finished run = train({data.path(), "--json", "--quiet", "--beta", "0.1", "--history",
                              data / "run.jsonl", "-o", data / "model.bzscr"});
  REQUIRE(run.exit_code == 0);
  const Json tried = Json::parse(run.out)["tried"];
  std::size_t points = 0;
  for (const std::string& line : lines_of(read_bytes(data / "run.jsonl"))) {
    const Json at = Json::parse(line);
    if (at["phase"] != "tuning") continue;
    REQUIRE(points < tried.size());
    for (const auto& [field, value] : tried[points].items()) CHECK(at[field] == value);
    ++points;
  }
  CHECK(points == tried.size());
}

TEST_CASE("--method and --divergence select the method and the divergence") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  data.npy("elsewhere/far.npy", Matrix(Matrix::Constant(8, 8, 0.5) - 0.5 * Matrix::Identity(8, 8)));
  const auto trained = [&](Arguments more) {
    more.insert(more.begin(),
                {data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", model});
    const Finished run = train(more);
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    return inspect_model(model);
  };
  CHECK(trained({"--method", "boosting"})["method"] == "boosting");
  CHECK(trained({"--method", "boosting"})["final_share"] == 1.0);
  CHECK(trained({"--final-share", "0.75"})["final_share"].get<double>() < 0.85);
  CHECK(trained({"--divergence", "zero-one"})["divergence"] == "zero-one");
  CHECK(trained({"--divergence", data / "elsewhere/far.npy"})["divergence"] == "far.npy");
  const Json cosine = trained({});
  CHECK(cosine["divergence"] == "cosine");
  data.npy("divergence.npy", Matrix(Matrix::Constant(8, 8, 0.25) - 0.25 * Matrix::Identity(8, 8)));
  CHECK(trained({})["divergence"] == "divergence.npy");
  CHECK(trained({"--divergence", "cosine"})["objective"] == cosine["objective"]);
}

TEST_CASE(
    "a ridge spreads W over more weak models, is certified and recorded, and is not part of "
    "--solver paper") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  const auto with = [&](const char* ridge) {
    const Json json =
        Json::parse(train({data.path(), "--nu", "0.03", "--beta", "0.4", "--ridge", ridge, "--base",
                           "none", "--own-part", "0", "--json", "--quiet", "-o", model})
                        .out);
    CHECK(json["relative_gap"].get<double>() <= 1e-3);
    CHECK(inspect_model(model)["ridge"] == json["ridge"]);
    return json;
  };
  const Json none = with("0"), some = with("0.03");
  const Finished unsaid =
      train({data.path(), "--nu", "0.03", "--beta", "0.4", "--json", "--quiet", "-o", model});
  CHECK(Json::parse(unsaid.out)["ridge"] == 0.01);
  const Finished as_printed = train({data.path(), "--nu", "0.03", "--beta", "0.4", "--solver",
                                     "paper", "--json", "--quiet", "-o", model});
  CHECK(Json::parse(as_printed.out)["ridge"] == 0);
  CHECK(some["objective"].get<double>() > none["objective"].get<double>());
  CHECK(some["weak_models"].get<int>() >= none["weak_models"].get<int>());
  const Finished printed = train({data.path(), "--nu", "0.03", "--beta", "0.4", "--ridge", "0.1",
                                  "--solver", "paper", "-o", model});
  CHECK(printed.exit_code == 2);
  CHECK(contains(printed.err,
                 "--ridge is 0.1; expected 0 with solver paper: Algorithm 1 has no such term"));
}

TEST_CASE(
    "every bilinear method chooses its hyper-parameters on validation classes, reports them and "
    "records them in its model") {
  const std::pair<const char*, std::set<std::string>> methods[] = {{"sje", {"rate", "epochs"}},
                                                                   {"ale", {"rate", "epochs"}},
                                                                   {"devise", {"rate", "epochs"}},
                                                                   {"eszsl", {"gamma", "lambda"}},
                                                                   {"cca", {"gamma", "lambda"}}};
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  for (const auto& [method, parameters] : methods) {
    CAPTURE(method);
    const Finished run = train({data.path(), "--method", method, "--json", "--quiet", "--history",
                                data / "run.jsonl", "-o", model});
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(run.err.empty());
    const Json json = Json::parse(run.out);
    CHECK(keys_of(json) == std::set<std::string>{"average",
                                                 "classes",
                                                 "divergence",
                                                 "embedding",
                                                 "hyper_parameters",
                                                 "method",
                                                 "model",
                                                 "model_bytes",
                                                 "peak_memory_bytes",
                                                 "samples",
                                                 "seconds",
                                                 "seconds_training",
                                                 "seen_penalty",
                                                 "solver",
                                                 "split",
                                                 "tried",
                                                 "tuned",
                                                 "unseen_classes",
                                                 "validation_error",
                                                 "validation_harmonic",
                                                 "weak_models"});
    CHECK(json["validation_harmonic"].get<double>() > 0);
    CHECK(json["method"] == method);
    CHECK(json["tuned"] == true);
    CHECK(keys_of(json["hyper_parameters"]) == parameters);
    CHECK(json["model_bytes"] == read_bytes(model).size());
    double lowest = 2;
    for (const Json& one : json["tried"])
      lowest = std::min(lowest, one["validation_error"].get<double>());
    CHECK(json["validation_error"] == lowest);
    CHECK(lines_of(read_bytes(data / "run.jsonl")).size() ==
          1 + json["tried"].size() + 1);  // settings, points tried, result

    const Json inspected = inspect_model(model);
    CHECK(inspected["method"] == method);
    CHECK(inspected["seen_penalty"].get<float>() ==
          static_cast<float>(json["seen_penalty"].get<double>()));
    CHECK(inspected["seen_penalty"] != 0);
    CHECK(inspected["weak_models"] == json["weak_models"]);
    CHECK(inspected["tuned"] == true);
    for (const auto& [name, value] : json["hyper_parameters"].items())
      CHECK(contains(inspected["hyper_parameters"], name + " "));

    // With the chosen values as options the model is the same except for its record, and no points
    // are tried.
    Arguments given = {data.path(), "--method", method, "--json", "--quiet", "-o", model};
    for (const auto& [name, value] : json["hyper_parameters"].items())
      given.insert(given.end(), {"--" + name, value.dump()});
    const Finished again = train(given);
    REQUIRE(again.exit_code == 0);
    CHECK(Json::parse(again.out)["tuned"] == false);
    CHECK(Json::parse(again.out)["tried"].empty());
    CHECK(Json::parse(again.out)["hyper_parameters"] == json["hyper_parameters"]);
  }
}

TEST_CASE("the text output of another method describes the choice and the file written") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  const Finished run = train({data.path(), "--method", "sje", "--divergence", "zero-one", "--rate",
                              "0.1", "--average", "-o", model});
  CHECK(run.exit_code == 0);
  const std::vector<std::string> words = lines_of(run.out);
  REQUIRE(words.size() == 6);
  CHECK(contains(words[0], "samples of 6 seen classes"));
  CHECK(contains(words[2], "chosen on validation classes: rate 0.1, epochs "));
  CHECK(contains(words[2], "4 settings tried"));
  CHECK(contains(words[3], "sje, sgd: rank "));
  CHECK(contains(words[3], "iterates averaged"));
  CHECK(contains(words[4], "is subtracted from the scores of seen ones"));
  CHECK(inspect_model(model)["divergence"] == "zero-one");
  const Finished seen = run_program(BZSCR_INSPECT, {model});
  CHECK(contains(seen.out, "rate 0.1, epochs "));
  CHECK_FALSE(contains(seen.out, "objective"));
}

TEST_CASE(
    "--divergence wordnet trains with path lengths in WordNet and reports the sense of each class "
    "name") {
  const DataFolder data;
  const WordNetFolder wordnet(animals());
  const std::string model = data / "model.bzscr";
  const auto run = [&](Arguments more) {
    more.insert(more.begin(), {data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet",
                               "--divergence", "wordnet", "-o", model});
    return train(more);
  };
  const Finished by_name = run({"--wordnet", wordnet.path()});
  CHECK(by_name.exit_code == 0);
  const std::vector<std::string> notes = lines_of(by_name.err);
  REQUIRE(notes.size() == 8);
  CHECK(notes[0] == "bzscr-train: note: 'ant' is mapped to " + wordnet.text("ant") +
                        " of WordNet: a social insect");
  const Json inspected = inspect_model(model);
  CHECK(inspected["divergence"] == "wordnet");

  std::string ids;
  for (const std::string& name : data.class_names) ids += wordnet.text(name) + "\n";
  data.text("synsets.txt", ids);
  const Finished by_id = run({"--wordnet", wordnet.path()});
  CHECK(by_id.exit_code == 0);
  CHECK(by_id.err.empty());
  CHECK(inspect_model(model)["objective"] == inspected["objective"]);
  CHECK(inspect_model(model)["data_hash"] != inspected["data_hash"]);

  // The divergence is a C x C matrix of 1 - 1 / (SPath + 1), so a file with it gives the same
  // model.
  Matrix SPath(8, 8);
  SPath << 0, 2, 4, 4, 5, 6, 5, 4, 2, 0, 4, 4, 5, 6, 5, 4, 4, 4, 0, 2, 5, 2, 3, 2, 4, 4, 2, 0, 5, 2,
      3, 2, 5, 5, 5, 5, 0, 5, 4, 4, 6, 6, 2, 2, 5, 0, 3, 5, 5, 5, 3, 3, 4, 3, 0, 4, 4, 4, 2, 2, 4,
      5, 4, 0;
  data.npy("divergence.npy", Matrix(1 - (SPath.array() + 1).inverse()), "<f8");
  const Finished by_file =
      train({data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", model});
  REQUIRE(by_file.exit_code == 0);
  CHECK(inspect_model(model)["objective"] == inspected["objective"]);
}

TEST_CASE(
    "a class name without exactly one sense in WordNet is refused with a message that lists the "
    "candidates, and no model is written") {
  const DataFolder data;
  const WordNetFolder wordnet(animals());
  data.text("classes.txt", "ant\nbee\ncat\ndog\nbat\nfox\ngnu\nhne\n");
  data.text("unseen_classes.txt", "gnu\nhne\n");
  data.text("validation_classes.txt", "bat\nfox\n");
  const Finished run = train({data.path(), "--divergence", "wordnet", "--wordnet", wordnet.path(),
                              "-o", data / "model.bzscr"});
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  const std::vector<std::string> said = lines_of(run.err);
  REQUIRE(said.size() == 1 + 8 + 1);
  CHECK(said[0] == "bzscr-train: " + data.path() +
                       ": 2 of 8 class names do not have exactly one sense in WordNet; expected " +
                       data.path() +
                       "/synsets.txt, with the id of each class: keep the right one of these lines "
                       "for every class");
  CHECK(said[5] == wordnet.text("bat") + " bat: nocturnal mouselike mammal");
  CHECK(said[9] == "? hne: no noun of WordNet; did you mean 'hen'?");
  CHECK_FALSE(std::filesystem::exists(data / "model.bzscr"));

  const Finished nowhere = train({data.path(), "--divergence", "wordnet", "--wordnet",
                                  data / "none", "-o", data / "model.bzscr"});
  CHECK(nowhere.exit_code == 2);
  CHECK(contains(nowhere.err,
                 data / "none/data.noun: no such file; expected the database of WordNet 3.0: "
                        "install the package wordnet-base"));
}

TEST_CASE("the example trains with the installed WordNet, found without an option") {
  const TemporaryFolder folder;
  const std::string model = folder / "model.bzscr";
  const Finished run = train({kCaltech, "--embedding", "hypernyms", "--divergence", "wordnet",
                              "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", model});
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(lines_of(run.err).size() ==
        1);  // the note that some of its classes have the same hypernyms
  CHECK(inspect_model(model)["divergence"] == "wordnet");
}

TEST_CASE(
    "features in several files give the same bytes as in one file, and --plan reads them and "
    "writes nothing") {
  const DataFolder data;
  const Arguments run = {data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet", "-o"};
  const auto with_output = [&](const std::string& name) {
    Arguments arguments = run;
    arguments.push_back(data / name);
    return arguments;
  };
  REQUIRE(train(with_output("whole.bzscr")).exit_code == 0);
  data.remove("features.npy");
  data.npy("features.part-000.npy", data.features.topRows(13));
  data.npy("features.part-001.npy", data.features.bottomRows(35));
  REQUIRE(train(with_output("parts.bzscr")).exit_code == 0);
  CHECK(read_bytes(data / "parts.bzscr") == read_bytes(data / "whole.bzscr"));

  const std::set<std::string> before = listing(data.path());
  const Finished plan = train({data.path(), "--plan", "--json"});
  CAPTURE(plan.err);
  REQUIRE(plan.exit_code == 0);
  CHECK(Json::parse(plan.out)["plan"].size() == 11);
  CHECK(listing(data.path()) == before);
}

TEST_CASE("--help lists every group and option, and --version prints the version") {
  const Finished help = train({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  for (const char* text : {"DATA",
                           "Data:",
                           "Objective (per sample",
                           "Selection of samples (bzscr):",
                           "Solver:",
                           "Other methods (see METHODS):",
                           "Choosing on validation classes:",
                           "Run:",
                           "--output",
                           "--embedding ",
                           "--missing",
                           "--divergence",
                           "--wordnet",
                           "--feature-scaling",
                           "--embedding-scaling",
                           "--nu",
                           "--beta",
                           "--ridge",
                           "--base",
                           "--method",
                           "METHODS",
                           "  sje ",
                           "  ale ",
                           "  devise ",
                           "  eszsl ",
                           "  cca ",
                           "  nr ",
                           "--rate",
                           "--epochs",
                           "--average",
                           "--gamma",
                           "--lambda",
                           "--initial-share",
                           "--share-growth",
                           "--final-share",
                           "--full-share",
                           "--solver",
                           "--gap",
                           "--max-iterations",
                           "--min-iterations",
                           "--tolerance",
                           "--early-stopping",
                           "--folds",
                           "--seed",
                           "--calibration",
                           "--threads",
                           "--history",
                           "--report",
                           "--curves",
                           "--plan",
                           "--json",
                           "--quiet",
                           "--version",
                           "features.npy",
                           "features.part-000.npy",
                           "unseen_classes.txt",
                           "Exit codes: 0"}) {
    CAPTURE(text);
    CHECK(contains(help.out, text));
  }
  const Finished version = train({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out.rfind("bzscr-train ", 0) == 0);
}

/// A wrong command line: the replacement for "-o MODEL", the arguments after the folder, and the
/// error message.
struct Misuse {
  Arguments arguments;
  std::string said;
};

TEST_CASE(
    "a bad value of any option is refused with one error message, before anything is read or "
    "written") {
  const Misuse misuses[] = {
      {{"--nu", "0"}, "nu is 0; expected a number above 0"},
      {{"--nu", "-1"}, "nu is -1; expected a number above 0"},
      {{"--nu", "nan"}, "nu is nan; expected a number above 0"},
      {{"--nu", "inf"}, "nu is inf; expected a number above 0"},
      {{"--nu", "some"}, "--nu is 'some'; expected a number"},
      {{"--nu"}, "--nu has no value; expected a number; usage: bzscr-train "},
      {{"--nu", ""}, "--nu is empty; expected a number"},
      {{"--nu", "1", "--nu", "2"}, "--nu is given 2 times; expected once"},
      {{"--beta", "-0.5"}, "beta is -0.5; expected a number of at least 0"},
      {{"--beta", "1,5"}, "--beta is '1,5'; expected a number"},
      {{"--method", "boost"},
       "--method: 'boost' is none of bzscr|boosting|sje|ale|devise|eszsl|cca|nr"},
      {{"--method", "nr"},
       "--method nr is not bilinear, so no model file can hold it; bzscr-compare measures it"},
      {{"--method", "sje", "--nu", "1"},
       "--nu is not of method sje, which takes rate, epochs, average"},
      {{"--method", "sje", "--ridge", "1"},
       "--ridge is not of method sje, which takes rate, epochs, average"},
      {{"--method", "eszsl", "--rate", "1"},
       "--rate is not of method eszsl, which takes gamma, lambda"},
      {{"--method", "cca", "--average"},
       "--average is not of method cca, which takes gamma, lambda"},
      {{"--rate", "1"},
       "--rate is not of method bzscr with solver refine, which takes nu, beta, ridge, base, "
       "score, own_part, feature_centring, solver"},
      {{"--solver", "paper", "--gap", "1e-3"}, "--gap is not of method bzscr with solver paper"},
      {{"--tolerance", "1e-3"}, "--tolerance is not of method bzscr with solver refine"},
      {{"--method", "boosting", "--final-share", "1"}, "--final-share is not of method boosting"},
      {{"--method", "sje", "--curves", "validation", "--history", "DATA/../run.jsonl"},
       "--curves is not of method sje"},
      {{"--nu", "1e308"}, "--nu is 1e+308; expected a number above 0, below a million"},
      {{"--json=maybe"}, "--json takes no value"},
      {{"--checkpoint", "DATA/../run.ckpt", "--every", "1e999h"},
       "--every is '1e999h'; expected a time such as 30, 60s, 5m or 1h"},
      {{"--checkpoint", "DATA/../run.ckpt", "--every", "5ms"}, "--every is '5ms'"},
      {{"--method", "ale", "--rate", "0"}, "--rate is 0; expected a number above 0"},
      {{"--method", "ale", "--epochs", "1.5"},
       "--epochs is 1.5; expected a whole number from 1 to a million"},
      {{"--method", "cca", "--gamma", "-1"}, "--gamma is -1; expected a number above 0"},
      {{"--method", "eszsl", "--lambda", "inf"}, "--lambda is inf; expected a number above 0"},
      {{"--solver", "papper"}, "--solver: 'papper' is none of refine|paper; did you mean 'paper'?"},
      {{"--feature-scaling", "unitt"},
       "--feature-scaling: 'unitt' is none of auto|none|unit|standard; did you mean 'unit'?"},
      {{"--embedding-scaling", "center-unit"},
       "--embedding-scaling: 'center-unit' is none of none|unit|centre-unit; did you mean "
       "'centre-unit'?"},
      {{"--initial-share", "0"}, "--initial-share is 0; expected a share above 0, at most 1"},
      {{"--initial-share", "1.5"}, "--initial-share is 1.5; expected a share above 0, at most 1"},
      {{"--share-growth", "1"}, "--share-growth is 1; expected a factor above 1"},
      {{"--final-share", "0.25"},
       "--final-share is 0.25; expected a share from the initial one to 1"},
      {{"--final-share", "1.25"},
       "--final-share is 1.25; expected a share from the initial one to 1"},
      {{"--full-share", "1"}, "--full-share is 1; expected a share from 0 to below 1"},
      {{"--gap", "0"}, "gap is 0; expected a number between 0 and 1"},
      {{"--gap", "2"}, "gap is 2; expected a number between 0 and 1"},
      {{"--solver", "paper", "--tolerance", "-1"},
       "tolerance is -1; expected a number of at least 0"},
      {{"--max-iterations", "0"}, "--max-iterations is 0; expected at least 1"},
      {{"--max-iterations", "1.5"}, "--max-iterations is '1.5'; expected a whole number"},
      {{"--solver", "paper", "--min-iterations", "0"},
       "--min-iterations is 0; expected at least 1"},
      {{"--folds", "0"}, "--folds is 0; expected 1 to 5"},
      {{"--folds", "6"}, "--folds is 6; expected 1 to 5"},
      {{"--seed", "x"}, "--seed: 'x' is not a whole number from 0 to 18446744073709551615"},
      {{"--max-iterations", "99999999999999999999"}, "expected at most a thousand million"},
      {{"--max-iterations", "9999999999"}, "expected at most a thousand million"},
      {{"--seed", "-1"}, "--seed: '-1' is negative; expected 0 or more"},
      {{"--seed", "18446744073709551616"},
       "'18446744073709551616' is not a whole number from 0 to"},
      {{"--threads", "-1"}, "--threads is -1; expected 0 to 1024"},
      {{"--threads", "2000"}, "--threads is 2000; expected 0 to 1024"},
      {{"--divergence", "cosin"},
       "--divergence is 'cosin'; expected cosine, wordnet, zero-one or a .npy file; did you mean "
       "'cosine'?"},
      {{"--divergence", "far.txt"},
       "--divergence is 'far.txt'; expected cosine, wordnet, zero-one or a .npy file"},
      {{"--divergence", "/nowhere/far.npy"}, "/nowhere/far.npy: no such file"},
      {{"--missing", "men"},
       "--missing: 'men' is none of refuse|mean|zero|keep; did you mean 'mean'?"},
      {{"--embedding", "wrds"},
       "DATA/embeddings: holds no embedding 'wrds', only words; did you mean 'words'?"},
      {{"--history", "/nowhere/run.jsonl"},
       "/nowhere/run.jsonl: cannot be written: No such file or directory"},
      {{"--report", "/nowhere/run.html"},
       "/nowhere/run.html: cannot be written: No such file or directory"},
      {{"--history", "DATA/model.bzscr"}, "DATA/model.bzscr: is named for two outputs"},
      {{"--checkpoint", "DATA/model.bzscr"}, "DATA/model.bzscr: is named for two outputs"},
      {{"--report", "DATA/../model.html", "--history", "DATA/../model.html"},
       "/model.html: is named for two outputs; expected a file for each"},
      {{"--history", "DATA/features.npy"},
       "DATA/features.npy: is an input of the program; expected another file to write"},
      {{"--curves", "test"},
       "--curves is for a history or a report; expected --history FILE or --report FILE.html too"},
      {{"--embeding", "words"}, "unknown option '--embeding'; did you mean '--embedding'?"},
      {{"--embeding=words"}, "unknown option '--embeding'; did you mean '--embedding'?"},
      {{"--no-early-stoping"},
       "unknown option '--no-early-stoping'; did you mean '--no-early-stopping'?"},
      {{"--quantise"}, "unknown option '--quantise'; --help lists the options"},
      {{"-q"}, "unknown option '-q'; did you mean '--quiet'?"},
      {{"more"}, "'more' is one argument too many"},
  };
  const DataFolder data;
  for (const Misuse& misuse : misuses) {
    Arguments arguments = {data.path(), "-o", data / "model.bzscr"};
    if (misuse.arguments[0] != "--nu" && misuse.arguments[0] != "--beta" &&
        misuse.arguments[0] != "--method")
      arguments.insert(arguments.end(), {"--nu", "0.1", "--beta", "0"});
    arguments.insert(arguments.end(), misuse.arguments.begin(), misuse.arguments.end());
    std::string said = misuse.said;
    arguments.push_back(said);
    for (std::string& text : arguments)
      for (std::size_t at; (at = text.find("DATA")) != std::string::npos;)
        text.replace(at, 4, data.path());
    said = arguments.back();
    arguments.pop_back();
    CAPTURE(said);
    const std::set<std::string> before = listing(data.path());
    const Finished run = train(arguments);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(lines_of(run.err).size() == 1);
    CHECK(run.err.rfind("bzscr-train: ", 0) == 0);
    CHECK(contains(run.err, said));
    CHECK(listing(data.path()) == before);
  }
}

TEST_CASE(
    "a missing folder, a missing output option and an unwritable output give one error message") {
  const DataFolder data;
  const std::string model = data / "model.bzscr";
  const Misuse misuses[] = {
      {{}, "DATA is required"},
      {{"-o", model}, "DATA is required"},
      {{data.path()}, "--output is required"},
      {{data.path(), "-o"}, "--output has no value; expected a file name"},
      {{data.path(), "-o", ""}, "--output is empty; expected a file name"},
      {{data.path(), "-o", "/nowhere/model.bzscr"},
       "/nowhere/model.bzscr: cannot be written: No such file or directory"},
      {{data.path(), "-o", data.path()}, data.path() + ": cannot be written: it is a folder"},
      {{data.path(), "--jsno"}, "unknown option '--jsno'; did you mean '--json'?"},
      {{data / "none", "-o", model}, data / "none: no such folder"},
      {{data / "classes.txt", "-o", model},
       data / "classes.txt: is neither a folder nor an .npz archive"},
  };
  for (const Misuse& misuse : misuses) {
    CAPTURE(misuse.said);
    const std::set<std::string> before = listing(data.path());
    const Finished run = train(misuse.arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(lines_of(run.err).size() == 1);
    CHECK(contains(run.err, "bzscr-train: " + misuse.said));
    CHECK(listing(data.path()) == before);
  }
}

TEST_CASE("a bad data set gives one error message, and no model is written") {
  const struct {
    std::function<void(const DataFolder&)> spoil;
    const char* said;
  } bad_sets[] = {
      {[](auto& d) { d.remove("features.npy"); },
       "/features.npy: no such file; expected a data set: a folder of features.npy"},
      {[](auto& d) { d.text("features.npy", "1,2,3\n"); },
       "/features.npy: is not a NumPy .npy file"},
      {[](auto& d) { d.npy("features.npy", with(d.features, 7, 2, std::nan(""))); },
       "/features.npy: row 7, column 2 is nan"},
      {[](auto& d) { d.npy("labels.npy", with(d.labels, 5, 8)); },
       "/labels.npy: row 5 holds label 8; expected 0 to 7"},
      {[](auto& d) { d.text("classes.txt", "ant\nbee\nant\n"); },
       "/classes.txt:3: 'ant' was already named in line 1"},
      {[](auto& d) { d.text("unseen_classes.txt", "gnu\nhne\n"); },
       "/unseen_classes.txt:2: 'hne' is not in classes.txt; did you mean 'hen'?"},
      {[](auto& d) { d.text("validation_classes.txt", "gnu\n"); },
       "/validation_classes.txt: 'gnu' is also in unseen_classes.txt"},
      {[](auto& d) { d.npy("embeddings/words.npy", with(d.embeddings, 2, 1, std::nan(""))); },
       "/embeddings/words.npy: row 2 ('cat'), column 1 is nan"},
      {[](auto& d) { d.npy("embeddings/more.npy", d.embeddings); },
       "/embeddings: holds several embeddings: more, words; say which one by --embedding, "
       "or several separated by commas"},
      {[](auto& d) { d.npy("divergence.npy", Matrix::Constant(8, 8, 2)); }, "/divergence.npy: "},
      // The mean of the seen classes equals the embedding of one of them.
      {[](auto& d) {
         Matrix phi = Matrix::Constant(8, 3, 1);
         phi.row(0) << 1, 1, 2;
         phi.row(1) << 1, 1, 0;
         phi.row(2) << 2, 1, 1;
         phi.row(3) << 0, 1, 1;
         phi.row(4) << 1, 2, 1;
         phi.row(5) << 1, 0, 1;
         d.npy("embeddings/words.npy", phi);
       },
       "embedding of class 'gnu' equals the mean of the seen classes"},
  };
  for (const auto& bad : bad_sets) {
    CAPTURE(bad.said);
    const DataFolder data;
    bad.spoil(data);
    const std::set<std::string> before = listing(data.path());
    const Finished run =
        train({data.path(), "--nu", "0.01", "--beta", "0.4", "-o", data / "model.bzscr"});
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    std::vector<std::string> lines = lines_of(run.err);
    CHECK(contains(lines.back(), bad.said));
    lines.pop_back();
    for (const std::string& line : lines) CHECK(contains(line, "bzscr-train: note: "));
    CHECK(listing(data.path()) == before);
  }
}

TEST_CASE(
    "if nu >= nu_max, the optimum is the empty model: this is reported, and an existing model file "
    "is unchanged") {
  const DataFolder data;
  data.text("model.bzscr", "an older model");
  const Finished run = train({data.path(), "--nu", "1000", "--beta", "0.4", "--base", "none",
                              "--own-part", "0", "--quiet", "-o", data / "model.bzscr"});
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  CHECK(
      run.err ==
      "bzscr-train: nu = 1000 >= nu_max: the optimum is the empty model; expected a smaller nu\n");
  CHECK(read_bytes(data / "model.bzscr") == "an older model");
}

TEST_CASE(
    "with too few seen classes to hold some out, training needs --nu and --beta and works with "
    "them") {
  const DataFolder data;
  data.text("unseen_classes.txt", "cat\ndog\neel\nfox\ngnu\n");
  data.remove("validation_classes.txt");
  data.remove("test_seen.npy");
  const Finished tuned = train({data.path(), "--quiet", "-o", data / "model.bzscr"});
  CHECK(tuned.exit_code == 2);
  CHECK(contains(tuned.err,
                 "has 3 seen classes with training samples; expected at least 4 to hold out some "
                 "and choose hyper-parameters, or hyper-parameters that are given"));
  CHECK(train({data.path(), "--quiet", "--nu", "0.01", "--beta", "0.4", "-o", data / "model.bzscr"})
            .exit_code == 0);
}

}  // namespace
}  // namespace bzscr::test
