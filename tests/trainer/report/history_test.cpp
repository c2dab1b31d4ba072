#include "report/history.h"
#include <bzscr_train/error.hpp>
#include "report/comparison.h"

#include <doctest/doctest.h>

#include <functional>

namespace bzscr::report {
namespace {

const std::string kSettings =
    R"({"phase":"settings","program":"bzscr-train 1","resumed":false,"settings":{"method":"bzscr","gap":0.5}})";
const std::string kPoint =
    R"({"phase":"tuning","nu":0.1,"beta":0.4,"validation_error":0.25,"weak_models":3})";

std::string iteration(int number, double objective, const std::string& phase = "training") {
  return R"({"phase":")" + phase + R"(","iteration":)" + std::to_string(number) +
         R"(,"samples":4,"objective":)" + std::to_string(objective) +
         R"(,"lower_bound":1,"relative_gap":0.5,"weak_models":2,"selected":0.75,"training_error":null,"validation_error":0.5})";
}

std::string result(const std::string& unseen) {
  return R"({"phase":"result","result":{"nu":0.1,"beta":0.4,"validation_error":null,"relative_gap":1e-3,"seconds":2,"weak_models":3,"samples":4,)"
         R"("model_bytes":100,"ending":"converged"},"unseen":)" +
         unseen + "}";
}

std::string with_line_feeds(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string refusal(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE(
    "a history is read into settings, grid, iterations with objectives per sample, and result") {
  const Run run = read_history(
      with_line_feeds(
          {kSettings, kPoint, iteration(1, 8, "validation"), iteration(1, 8), iteration(2, 6),
           result(
               R"({"samples":3,"error_rate":0.5,"mean_delta":0.25,"per_class_top1":0.5,"classes":["a","b"],"confusion":[[1,0],[2,0]]})")}),
      "x/run.jsonl");
  CHECK(run.name == "x/run.jsonl");
  CHECK(run.setting("method") == "bzscr");
  CHECK(run.setting("gap") == "0.5");
  CHECK(run.setting("none").empty());
  REQUIRE(run.tuning.size() == 1);
  CHECK(run.tuning[0].validation_error == 0.25);
  REQUIRE(run.validation.size() == 1);
  CHECK(run.validation[0].validation_error == 0.5);
  REQUIRE(run.training.size() == 2);
  CHECK(run.training[1].objective == 1.5);
  CHECK(run.training[1].lower_bound == 0.25);
  CHECK(run.training[1].training_error == -1);
  CHECK(run.training[1].test_error == -1);  // missing is not measured
  REQUIRE(run.result);
  CHECK(run.result->ending == "converged");
  CHECK(run.result->taught.empty());
  REQUIRE(run.unseen);
  CHECK(run.unseen->confusion[1][0] == 2);
}

TEST_CASE(
    "the history of another method has its own parameters, and a result without nu, beta or gap") {
  const Run run = read_history(
      with_line_feeds(
          {R"({"phase":"tuning","rate":0.5,"epochs":10,"validation_error":0.25,"seconds":1})",
           R"({"phase":"tuning","rate":0.5,"epochs":30,"validation_error":0.75,"seconds":1})",
           R"({"phase":"tuning","rate":0.5,"epochs":10,"validation_error":0.5,"seconds":1})",
           R"({"phase":"result","result":{"seconds":2,"weak_models":3,"samples":4,"model_bytes":100}})"}),
      "sje.jsonl");
  CHECK(run.tuning.empty());
  REQUIRE(run.tried.size() == 2);
  CHECK(run.tried[0].parameters ==
        std::vector<std::pair<std::string, double>>{{"rate", 0.5}, {"epochs", 10}});
  CHECK(run.tried[0].validation_error == 0.375);  // of two folds
  CHECK(run.tried[1].validation_error == 0.75);
  REQUIRE(run.result);
  CHECK_FALSE(run.result->nu);
  CHECK_FALSE(run.result->relative_gap);
  CHECK_FALSE(run.unseen);
}

TEST_CASE("accuracies of taught classes are read, and are refused where they are none") {
  const auto with = [](const std::string& taught) {
    std::string line = result("null");
    line.insert(line.find("\"seconds\""), "\"taught\":" + taught + ",");
    return with_line_feeds({line});
  };
  const Run run =
      read_history(with(R"([{"shots":0,"accuracy":0.25},{"shots":5,"accuracy":0.75}])"), "r");
  REQUIRE(run.result);
  CHECK(run.result->taught == std::vector<std::pair<std::int64_t, double>>{{0, 0.25}, {5, 0.75}});
  CHECK(read_history(with("[]"), "r").result->taught.empty());
  const auto refused = [&](const std::string& taught) {
    return refusal([&] { read_history(with(taught), "r"); });
  };
  CHECK(refused("3") == "r:1: \"result\": \"taught\" is 3; expected a list of objects");
  CHECK(refused(R"([{"shots":0,"accuracy":1.5}])") ==
        "r:1: \"result\": \"taught\", entry 0: \"accuracy\" is 1.5; expected a number from 0 to 1");
  CHECK(refused("[7]") == "r:1: \"result\": \"taught\", entry 0: is 7; expected an object, {...}");
}

TEST_CASE(
    "lines of a resumed run replace repeated lines, and a run that is not resumed replaces all "
    "lines") {
  std::string resumed = kSettings;
  resumed.replace(resumed.find("false"), 5, "true");
  const Run both =
      read_history(with_line_feeds({kSettings, kPoint, iteration(1, 8), iteration(2, 8), resumed,
                                    iteration(2, 4), iteration(3, 4)}),
                   "r");
  REQUIRE(both.training.size() == 3);
  CHECK(both.training[0].objective == 2);
  CHECK(both.training[1].objective == 1);
  CHECK(both.tuning.size() == 1);
  CHECK(both.resumed);
  const Run anew = read_history(with_line_feeds({kSettings, kPoint, iteration(1, 8), result("null"),
                                                 kSettings, iteration(1, 4)}),
                                "r");
  CHECK(anew.training.size() == 1);
  CHECK(anew.tuning.empty());
  CHECK_FALSE(anew.result);
}

TEST_CASE(
    "a last line that is truncated at any byte is left out with a note, and all other lines are "
    "read") {
  const std::string whole = with_line_feeds({kSettings, iteration(1, 8)}), last = iteration(2, 8);
  for (std::size_t bytes = 1; bytes < last.size(); ++bytes) {
    const Run run = read_history(whole + last.substr(0, bytes), "run.jsonl");
    CHECK(run.training.size() == 1);
    CHECK(run.note == "run.jsonl:3: is incomplete and was left out");
  }
  CHECK(read_history(whole + last, "run.jsonl").training.size() ==
        2);  // only its line feed is missing
}

TEST_CASE(
    "an empty or damaged history is refused with the line, what was found and what was expected") {
  const struct {
    std::string text, said;
  } damaged[] = {
      {"", "run.jsonl: is empty; expected the history of a run, one JSON object per line"},
      {"{\"phase\":",
       "run.jsonl: holds no complete line; expected the history of a run, one JSON object per "
       "line"},
      {"\n",
       "run.jsonl:1: is not JSON (column 1); expected the history of a run, one JSON object per "
       "line"},
      {kSettings + "\n{\"phase\":\n" + kPoint,
       "run.jsonl:2: is not JSON (column 10); expected the history of a run, one JSON object per "
       "line"},
      {kSettings + "\n{\"phase\":\"a\xFF\"}\n",
       "run.jsonl:2: is not JSON (column 12); expected the history of a run, one JSON object per "
       "line"},
      {kSettings + "\n[1]\n", "run.jsonl:2: is [1]; expected an object, {...}"},
      {"{}\n", "run.jsonl:1: has no \"phase\"; expected a text"},
      {R"({"phase":"test"})"
       "\n",
       "run.jsonl:1: \"phase\" is \"test\"; expected settings, tuning, validation, training or "
       "result"},
      {R"({"phase":"tuning","nu":"0.1"})"
       "\n",
       "run.jsonl:1: \"nu\" is \"0.1\"; expected a number of at least 0"},
      {R"({"phase":"tuning","nu":1,"beta":0,"validation_error":1.5})"
       "\n",
       "run.jsonl:1: \"validation_error\" is 1.5; expected a number from 0 to 1"},
      {R"({"phase":"tuning","nu":1e999})"
       "\n",
       "run.jsonl:1: is not JSON; expected the history of a run, one JSON object per line"},
      {R"({"phase":"training","samples":4,"iteration":0})"
       "\n",
       "run.jsonl:1: \"iteration\" is 0; expected a whole number of at least 1"},
      {R"({"phase":"training","samples":4,"iteration":1.5})"
       "\n",
       "run.jsonl:1: \"iteration\" is 1.5; expected a whole number of at least 1"},
      {R"({"phase":"training","samples":4,"iteration":1,"objective":null})"
       "\n",
       "run.jsonl:1: \"objective\" is null; expected a number"},
      {R"({"phase":"settings","resumed":1})"
       "\n",
       "run.jsonl:1: \"resumed\" is 1; expected true or false"},
      {kPoint + "\n" + result("[]") + "\n",
       "run.jsonl:2: \"unseen\": is []; expected an object, {...}"},
      {result(
           R"({"samples":3,"error_rate":0,"mean_delta":0,"per_class_top1":1,"classes":["a","b"],"confusion":[[1,0]]})") +
           "\n",
       "run.jsonl:1: \"unseen\": \"confusion\" is [[1,0]]; expected 2 rows of 2 counts, one per "
       "class"},
      {result(
           R"({"samples":3,"error_rate":0,"mean_delta":0,"per_class_top1":1,"classes":["a"],"confusion":[[-1]]})") +
           "\n",
       "run.jsonl:1: \"unseen\": \"confusion\" is -1; expected 1 rows of 1 counts, one per class"},
      {result(
           R"({"samples":3,"error_rate":0,"mean_delta":0,"per_class_top1":1,"classes":["a",7]})") +
           "\n",
       "run.jsonl:1: \"unseen\": \"classes\" is 7; expected a list of texts"},
  };
  for (const auto& [text, said] : damaged) {
    const std::string& history = text;
    CHECK(refusal([&] { read_history(history, "run.jsonl"); }) == said);
  }
}

TEST_CASE("a comparison is read with empty values for unmeasured ones, and other JSON is refused") {
  const Comparison comparison = read_comparison(
      R"({"data":"caltech","methods":[{"method":"NR","error_rate":0.5,"gzsl_harmonic":null,"seconds":3},{"method":"SJE","form":"zero-one","per_class_top1":0.25,"per_class_top1_deviation":0.125}]})",
      "c.json");
  CHECK(comparison.data == "caltech");
  REQUIRE(comparison.methods.size() == 2);
  CHECK(comparison.methods[0].name == "NR");
  CHECK(comparison.methods[0].error_rate == 0.5);
  CHECK_FALSE(comparison.methods[0].gzsl_harmonic);
  CHECK(comparison.methods[1].name == "SJE (zero-one)");
  CHECK(comparison.methods[1].per_class_top1 == 0.25);
  CHECK(comparison.methods[1].per_class_deviation == 0.125);
  CHECK_FALSE(comparison.methods[1].error_rate);

  const Comparison forms = read_comparison(
      R"({"methods":[{"method":"ale","form":"cosine","mean_rank":2.5,"ausuc":0.5,"forms":[{"method":"ale","form":"cosine","mean_rank":2.5,"ausuc":0.5},{"method":"ale","form":"zero-one","mean_rank":null}]},{"method":"nr","forms":[{"method":"nr"}]}]})",
      "c.json");
  REQUIRE(forms.methods.size() == 3);
  CHECK(forms.methods[0].counts);
  CHECK(forms.methods[0].mean_rank == 2.5);
  CHECK(forms.methods[0].ausuc == 0.5);
  CHECK(forms.methods[1].name == "ale (zero-one)");
  CHECK_FALSE(forms.methods[1].counts);
  CHECK(forms.methods[2].counts);

  const auto refused = [](const std::string& text) {
    return refusal([&] { read_comparison(text, "c.json"); });
  };
  CHECK(refused("{") == "c.json: is not JSON (column 2); expected a comparison of methods in JSON");
  CHECK(refused("{}") ==
        "c.json: has no list \"methods\"; expected a comparison of methods in JSON");
  CHECK(refused("[]") == "c.json: is []; expected an object, {...}");
  CHECK(refused(R"({"methods":[{"method":"a"},{"method":3}]})") ==
        "c.json: method 2: \"method\" is 3; expected a text");
  CHECK(refused(R"({"methods":[{"method":"a","seconds":"1"}]})") ==
        "c.json: method 1: \"seconds\" is \"1\"; expected a number of at least 0");
}

}  // namespace
}  // namespace bzscr::report
