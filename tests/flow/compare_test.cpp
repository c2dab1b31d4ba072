// bzscr-compare against bzscr-train and bzscr-eval, which measure through the runtime.
#include "train.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace bzscr::test {
namespace {

using Json = nlohmann::json;

Finished compare(const std::vector<std::string>& arguments) {
  return run_program(BZSCR_COMPARE, arguments);
}

Json compared(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Finished run = compare(arguments);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.empty());
  return Json::parse(run.out);
}

std::map<std::string, Json> by_method(const Json& json) {
  std::map<std::string, Json> methods;
  for (const Json& one : json["methods"]) methods[one["method"]] = one;
  return methods;
}

const std::set<std::string> kMethods = {"bzscr", "boosting", "sje",   "ale",  "nr",
                                        "cca",   "devise",   "eszsl", "ridge"};

TEST_CASE("the table has every method, and for each what it came to on unseen classes") {
  const DataFolder data;
  const Json json = compared({data.path()});
  CHECK(json["splits"] == 1);
  CHECK(json["own_split"] == true);
  const auto methods = by_method(json);
  double ranks = 0;
  for (const auto& [name, one] : methods) {
    CAPTURE(name);
    CHECK(kMethods.count(name) == 1);
    for (const char* share :
         {"error_rate", "mean_delta", "per_class_top1", "gzsl_seen", "gzsl_unseen", "gzsl_harmonic",
          "gzsl_seen_calibrated", "gzsl_unseen_calibrated", "gzsl_harmonic_calibrated", "ausuc"}) {
      CAPTURE(share);
      REQUIRE(one[share].is_number());
      CHECK(one[share] >= 0);
      CHECK(one[share] <= 1);
    }
    CHECK(one["error_rate"].get<double>() + one["per_class_top1"].get<double>() ==
          doctest::Approx(1));  // six samples of either class
    CHECK(one["seconds"] > 0);
    CHECK(one["splits"].size() == 1);
    CHECK(one["forms"].size() == (name == "sje" || name == "ale" || name == "cca" ? 2 : 1));
    for (const Json& form : one["forms"]) CHECK(form["error_rate"] >= one["error_rate"]);
    if (one["mean_rank"].is_number()) ranks += one["mean_rank"].get<double>();
  }
  CHECK(methods.size() == kMethods.size());
  CHECK(ranks == doctest::Approx(1 + 2 + 3 + 4 + 5 + 6));
  for (const char* other : {"devise", "eszsl", "ridge"})
    CHECK(methods.at(other)["mean_rank"].is_null());
  for (const char* without : {"nr", "ridge"}) CHECK(methods.at(without)["model_bytes"].is_null());
}

TEST_CASE("what is told of a method is what bzscr-eval tells of the model that bzscr-train makes") {
  const DataFolder data;
  const auto methods =
      by_method(compared({data.path(), "--methods", "bzscr,boosting,devise,eszsl"}));
  CHECK(methods.size() == 4);
  for (const auto& [name, one] : methods) {
    CAPTURE(name);
    const std::string model = data / "model.bzscr";
    const Finished trained =
        train({data.path(), "--method", name, "--json", "--quiet", "-o", model});
    REQUIRE(trained.exit_code == 0);
    const Finished run = run_program(BZSCR_EVAL, {model, data.path(), "--json"});
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    const Json evaluated = Json::parse(run.out);
    for (const char* measure : {"error_rate", "mean_delta", "per_class_top1"})
      CHECK(evaluated[measure].get<double>() == doctest::Approx(one[measure].get<double>()));
    CHECK(Json::parse(trained.out)["validation_error"].get<double>() ==
          doctest::Approx(one["splits"][0]["validation_error"].get<double>()));
  }
}

TEST_CASE(
    "class splits come from a file or are drawn, and are the same for any number of threads") {
  const DataFolder data;
  Matrix splits = Matrix::Zero(2, 8);
  splits.row(0) << 0, 0, 0, 0, 1, 1, 2, 2;
  splits.row(1) << 2, 2, 1, 1, 0, 0, 0, 0;
  data.npy("splits.npy", splits, "|u1");
  const std::vector<std::string> from_file = {data.path(), "--methods", "eszsl,ale,bzscr",
                                              "--splits", data / "splits.npy"};
  std::vector<std::string> one_thread = from_file, three_threads = from_file;
  one_thread.insert(one_thread.end(), {"--threads", "1"});
  three_threads.insert(three_threads.end(), {"--threads", "3"});
  const auto measures = [](Json json) {
    for (Json& method : json["methods"]) {
      method.erase("seconds");
      for (Json& split : method["splits"]) split.erase("seconds");
      method.erase("forms");
    }
    return json["methods"];
  };
  const Json json = compared(one_thread);
  CHECK(json["splits"] == 2);
  CHECK(json["own_split"] == false);
  CHECK(measures(json) == measures(compared(three_threads)));
  for (const Json& one : json["methods"]) {
    const double a = one["splits"][0]["per_class_top1"], b = one["splits"][1]["per_class_top1"];
    CHECK(one["per_class_top1"] == doctest::Approx((a + b) / 2));
    CHECK(one["per_class_top1_deviation"] == doctest::Approx(std::fabs(a - b) / std::sqrt(2.0)));
    if (one["method"] == "bzscr") continue;
    const Json& bzscr = json["methods"][0];
    CHECK(one["against_bzscr"]["per_class_top1"]["mean"] ==
          doctest::Approx(one["per_class_top1"].get<double>() -
                          bzscr["per_class_top1"].get<double>()));
  }
  const Json drawn = compared({data.path(), "--methods", "eszsl", "--splits", "3"});
  CHECK(drawn["splits"] == 3);
  CHECK(measures(drawn) ==
        measures(compared({data.path(), "--methods", "eszsl", "--splits", "3"})));
  CHECK(measures(drawn) !=
        measures(compared({data.path(), "--methods", "eszsl", "--splits", "3", "--seed", "2"})));
}

TEST_CASE("beta is given or chosen, and the ridge is that of training unless another is given") {
  const DataFolder data;
  const auto setting = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {data.path(), "--methods", "bzscr"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return compared(arguments)["methods"][0]["splits"][0]["setting"].get<std::string>();
  };
  CHECK(setting({}).find(", ridge 0.01") != std::string::npos);
  const std::string given = setting({"--beta", "0.25", "--ridge", "0"});
  CHECK(given.find(", beta 0.25") != std::string::npos);
  CHECK(given.find("ridge") == std::string::npos);
}

TEST_CASE("the table is printed for people, and as Markdown") {
  const DataFolder data;
  const Finished plain = compare({data.path(), "--methods", "bzscr,sje", "--splits", "2"});
  REQUIRE(plain.exit_code == 0);
  CHECK(plain.out.find("method") != std::string::npos);
  CHECK(plain.out.find("sje (zero-one)") != std::string::npos);
  CHECK(plain.out.find("split by split") != std::string::npos);
  CHECK(lines_of(plain.err).size() == 6);  // not a terminal: a line for each form on each split
  const Finished markdown =
      compare({data.path(), "--methods", "bzscr,sje", "--splits", "2", "--markdown", "--quiet"});
  REQUIRE(markdown.exit_code == 0);
  std::size_t rows = 0;
  for (const std::string& line : lines_of(markdown.out))
    if (line.rfind("| ", 0) == 0) {
      CHECK(line.back() == '|');
      ++rows;
    }
  CHECK(rows == (2 + 3) + (2 + 2));
}

TEST_CASE("what cannot be compared on is told in one sentence") {
  const DataFolder data;
  data.npy("short.npy", Matrix::Zero(1, 7), "|u1");
  data.npy("odd.npy", Matrix::Constant(1, 8, 3), "|u1");
  data.npy("all.npy", Matrix::Zero(1, 8), "|u1");
  const std::pair<std::vector<std::string>, std::string> misuses[] = {
      {{data.path(), "--methods", "szsl"}, "--methods: 'szsl' is none of"},
      {{data.path(), "--splits", "0"}, "--splits is 0; expected 1 to 9999, or FILE.npy"},
      {{data.path(), "--splits", "none.npy"}, "none.npy: no such file"},
      {{data.path(), "--splits", data / "short.npy"},
       "short.npy: is 1 x 7; expected a row for each split and 8 columns, one a class"},
      {{data.path(), "--splits", data / "odd.npy"},
       "odd.npy: row 0, column 0 is 3; expected 0 (trains), 1 (validates) or 2 (unseen)"},
      {{data.path(), "--splits", data / "all.npy"},
       "all.npy: row 0 has fewer than two classes that are 1; expected at least two of 0, 1 and 2 "
       "each"},
      {{data.path(), "--folds", "9"}, "--folds is 9; expected 1 to 5"},
      {{data.path(), "--ridge", "-1"}, "ridge is -1; expected"},
      {{data.path(), "--beta", "nan"}, "beta is nan; expected"},
      {{data / "none"}, "none: no such folder"},
  };
  for (const auto& [arguments, said] : misuses) {
    CAPTURE(said);
    const Finished run = compare(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(lines_of(run.err).size() == 1);
    CHECK(run.err.find(said) != std::string::npos);
  }
  data.remove("unseen_classes.txt");
  CHECK(compare({data.path()}).err.find("names no two unseen classes to compare on") !=
        std::string::npos);
}

}  // namespace
}  // namespace bzscr::test
