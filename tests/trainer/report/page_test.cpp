#include "report/page.h"
#include "report/html.h"

#include <doctest/doctest.h>

namespace bzscr::report {
namespace {

TEST_CASE("escaped text has no special character of HTML, and well-formed UTF-8 is kept") {
  CHECK(escaped("<b a=\"1\" c='2'>&amp;") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  CHECK(escaped("na\xC3\xAFve \xE9\xB3\xA5 \xF0\x9F\x90\xA6") ==
        "na\xC3\xAFve \xE9\xB3\xA5 \xF0\x9F\x90\xA6");
}

TEST_CASE("each byte that is not text becomes one replacement character") {
  const std::string r = "\xEF\xBF\xBD";
  CHECK(escaped(std::string("a\0b", 3)) == "a" + r + "b");
  CHECK(escaped("\n\x1b\x7f") == r + r + r);
  CHECK(escaped("\x80") == r);
  CHECK(escaped("\xC3") == r);                          // cut short
  CHECK(escaped("\xC0\xBC") == r + r);                  // an overlong <
  CHECK(escaped("\xED\xA0\x80") == r + r + r);          // a surrogate
  CHECK(escaped("\xF4\x90\x80\x80") == r + r + r + r);  // beyond the last character
  CHECK(escaped("\xE9\xB3<") == r + r + "&lt;");
}

TEST_CASE("a page without runs or curves is valid") {
  const std::string empty = page({}, std::nullopt);
  CHECK(empty.find("<h1>") != std::string::npos);
  CHECK(empty.find("</html>") != std::string::npos);
  Run begun;
  begun.name = "run.jsonl";
  const std::string one = page({begun}, std::nullopt);
  CHECK(one.find("the run had not ended") != std::string::npos);
  CHECK(one.find("id=\"charts\">[]<") != std::string::npos);
}

TEST_CASE(
    "the page of another method shows its settings and their errors, and no chart of missing "
    "quantities") {
  Run run;
  run.name = "sje.jsonl";
  run.tried = {{{{"rate", 0.5}, {"epochs", 10}}, 0.25}};
  run.result = Result{};
  const std::string text = page({run}, std::nullopt);
  CHECK(text.find("<bdi>rate 0.5, epochs 10</bdi>") != std::string::npos);
  CHECK(text.find("certified gap") == std::string::npos);
  CHECK(text.find("--curves") == std::string::npos);
  CHECK(text.find("id=\"charts\">[]<") != std::string::npos);
}

TEST_CASE("the accuracy of a model that can be taught has a chart and a table") {
  Run run;
  run.name = "run.jsonl";
  run.result = Result{};
  CHECK(page({run}, std::nullopt).find("that a device is taught") == std::string::npos);
  run.result->taught = {{0, 0.25}, {5, 0.875}};
  const std::string text = page({run}, std::nullopt);
  CHECK(text.find("Accuracy of classes that a device is taught") != std::string::npos);
  CHECK(text.find("\"points\":[[0,0.25],[5,0.875]]") != std::string::npos);
  const std::size_t table = text.find("<caption>Classes that a device is taught");
  REQUIRE(table != std::string::npos);
  CHECK(text.find("0.875", table) != std::string::npos);
}

TEST_CASE("unseen classes without samples or without confusions have rows in the tables") {
  Run run;
  run.name = "run.jsonl";
  run.unseen = Unseen{{"a", "b"}, {{3, 0}, {0, 0}}, 3, 0, 0, 1};
  const std::string text = page({run}, std::nullopt);
  CHECK(text.find("<th scope=\"row\"><bdi>b</bdi></th>") != std::string::npos);
  CHECK(text.find("Most frequent confusions") == std::string::npos);
}

TEST_CASE(
    "the confusion table of many classes holds those with most errors and counts the others "
    "together") {
  constexpr std::size_t kClasses = 200;
  Run run;
  run.name = "run.jsonl";
  Unseen unseen;
  for (std::size_t c = 0; c < kClasses; ++c) {
    unseen.classes.push_back("class " + std::to_string(c));
    unseen.confusion.emplace_back(kClasses);
    unseen.confusion[c][c] = 9;
  }
  unseen.confusion[150][7] = 4;
  unseen.confusion[7][199] = 2;
  run.unseen = unseen;
  const std::string text = page({run}, std::nullopt);
  const std::size_t begin = text.find("<div class=\"confusion\">"),
                    end = text.find("</table>", begin);
  const std::string table = text.substr(begin, end - begin);
  CHECK(table.find("of the 25 of 200 classes with most errors") != std::string::npos);
  for (const char* name : {"class 150", "class 7", "class 199"})
    CHECK(table.find("<th scope=\"row\" title=\"" + std::string(name) + "\">") !=
          std::string::npos);
  CHECK(table.find("title=\"4 of 13 samples of class 150 classified as class 7\"") !=
        std::string::npos);
  CHECK(table.find("<bdi>others</bdi>") != std::string::npos);
  // All classes are in a table, and the chart says that it holds a part.
  CHECK(text.find("<th scope=\"row\"><bdi>class 100</bdi></th>") != std::string::npos);
  CHECK(text.find("The 20 highest and the 20 lowest of 200") != std::string::npos);
}

TEST_CASE(
    "a run with held-out samples shows S, U and H, and one that selects samples says why its "
    "training error may rise") {
  Run run;
  run.name = "run.jsonl";
  run.unseen = Unseen{{"a", "b"},
                      {{3, 0}, {0, 3}},
                      6,
                      0,
                      0,
                      1,
                      SeenUnseen{0.75, 0.125, 0.214},
                      SeenUnseen{0.5, 0.25, 0.333}};
  Iteration at;
  at.number = 1;
  at.selected = 0.5;
  at.training_error = 0.25;
  run.training = {at};
  const std::string text = page({run}, std::nullopt);
  CHECK(text.find("seen and unseen classes compete, H</dt><dd>0.333<small>S 0.500, U 0.250; "
                  "without the penalty of seen classes H 0.214, S 0.750, U 0.125") !=
        std::string::npos);
  CHECK(text.find("it may rise when harder ones join") != std::string::npos);
  run.training[0].selected = 1;
  run.unseen->joint = std::nullopt;
  const std::string other = page({run}, std::nullopt);
  CHECK(other.find("it may rise") == std::string::npos);
  CHECK(other.find("classes compete") == std::string::npos);
}

}  // namespace
}  // namespace bzscr::report
