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

TEST_CASE("unseen classes without samples or without confusions have rows in the tables") {
  Run run;
  run.name = "run.jsonl";
  run.unseen = Unseen{{"a", "b"}, {{3, 0}, {0, 0}}, 3, 0, 0, 1};
  const std::string text = page({run}, std::nullopt);
  CHECK(text.find("<th scope=\"row\"><bdi>b</bdi></th>") != std::string::npos);
  CHECK(text.find("Most frequent confusions") == std::string::npos);
}

}  // namespace
}  // namespace bzscr::report
