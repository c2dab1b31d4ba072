// Tests the page of bzscr-report in a real browser.
#include "dataset_files.h"
#include "json.h"
#include "run_program.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <regex>
#include <sstream>

namespace bzscr {
namespace {

using test::Finished;
using test::Json;
using Arguments = std::vector<std::string>;

constexpr int kIterations = 7;
const std::vector<double> kBetas = {0, 0.1, 0.4, 1}, kNus = {0.1, 0.01, 0.001};
// Names that would end a text, an attribute or a script if they were not escaped.
const std::vector<std::string> kNames = {
    "polar bear", "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\" onfocus=\"document.title='owned'\" autofocus x=\"", "\xC3\xB6tter & \xE9\xB3\xA5 <!-- -->"};

Finished report(const Arguments& arguments) { return test::run_program(BZSCR_REPORT, arguments); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A history of a tuned run, with all curves.
std::string history(const std::string& method) {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  std::string lines =
      fmt::format(R"({{"phase":"settings","program":"bzscr-train 1","resumed":false,)"
                  R"("settings":{{"method":{},"solver":"refine","embedding":{}}}}})"
                  "\n",
                  quoted(method), quoted(kNames[2]));
  for (const double beta : kBetas)
    for (const double nu : kNus)
      lines += fmt::format(
          R"({{"phase":"tuning","nu":{},"beta":{},"validation_error":{},"weak_models":2}})"
          "\n",
          nu, beta, 0.5 + nu - 0.1 * beta);
  for (const std::string phase : {"validation", "training"})
    for (int t = 1; t <= kIterations; ++t)
      lines += fmt::format(
          R"({{"phase":"{}","iteration":{},"samples":10,"objective":{},"lower_bound":{},)"
          R"("relative_gap":{},"weak_models":{},"selected":{},"training_error":{},)"
          R"("validation_error":{},"test_error":{}}})"
          "\n",
          phase, t, 20 + t, 19 + t, std::pow(10.0, -t), t, t / 7.0, 0.5 / t,
          phase == "validation" ? "0.6" : "null", phase == "training" ? "0.7" : "null");
  std::vector<std::string> names, confusion;
  for (std::size_t r = 0; r < kNames.size(); ++r) {
    std::vector<int> row(kNames.size(), 1);
    row[r] = 3;
    names.push_back(quoted(kNames[r]));
    confusion.push_back(fmt::format("[{}]", fmt::join(row, ",")));
  }
  return lines +
         fmt::format(R"({{"phase":"result","result":{{"nu":0.01,"beta":1,"validation_error":0.41,)"
                     R"("relative_gap":1e-7,"seconds":1.5,"weak_models":7,"samples":10,)"
                     R"("model_bytes":1234,"ending":"converged"}},)"
                     R"("unseen":{{"samples":35,"error_rate":0.571,"mean_delta":0.25,)"
                     R"("per_class_top1":0.429,"classes":[{}],"confusion":[{}]}}}})"
                     "\n",
                     fmt::join(names, ","), fmt::join(confusion, ","));
}

struct Files : test::TemporaryFolder {
  Files() {
    test::write_bytes(a, history("bzscr"));
    test::write_bytes(b, history("boosting"));
    test::write_bytes(
        compare,
        R"({"data":"caltech","methods":[{"method":"BZ-SCR","error_rate":0.4,"mean_delta":0.2,"per_class_top1":0.61,)"
        R"("gzsl_harmonic":0.1,"gzsl_harmonic_calibrated":0.3,"seconds":2},)"
        R"({"method":"<i>NR</i>","error_rate":0.5,"mean_delta":0.3,"per_class_top1":0.5,"gzsl_harmonic":null,"seconds":9}]})");
  }
  const std::string a = *this / "a.jsonl", b = *this / "b.jsonl", compare = *this / "compare.json",
                    page = *this / "page.html";
};

/// Runs the browser without a display, without network access and with a new profile.
Finished browse(const test::TemporaryFolder& folder, const std::string& page, Arguments more) {
  more.insert(more.begin(), {"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                             "--no-first-run", "--user-data-dir=" + folder / "profile"});
  more.push_back("file://" + page);
  return test::run_program(CHROMIUM, more);
}

/// The document after its scripts have run.
std::string dom_of(const Files& files, const std::string& window = "1200,900") {
  const Finished run = browse(files, files.page, {"--window-size=" + window, "--dump-dom"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return run.out;
}

/// The document without the page's own scripts and styles.
std::string body_of(const std::string& dom) {
  return dom.substr(dom.find("<body>"),
                    dom.find("<script type=\"application/json\"") - dom.find("<body>"));
}

TEST_CASE("the page has a mark for every number of the history, and every name") {
  const Files files;
  const Finished made = report({files.a, "-o", files.page});
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  const std::string dom = dom_of(files), body = body_of(dom);
  CHECK(count(body, "<figure ") == 8);
  CHECK(count(body, "role=\"img\"") == 8);
  // Errors: 2 + 2 series; objective and bound; gap; selected; beta; a path of nu for each beta.
  CHECK(count(body, "class=\"series ") == 4 + 2 + 1 + 1 + 1 + kBetas.size());
  const std::size_t marks =
      (4 + 2 + 1 + 1) * kIterations + kBetas.size() + kBetas.size() * kNus.size();
  CHECK(count(body, "class=\"mark\"") == marks);
  CHECK(count(body, "class=\"bar\"") == kNames.size());
  CHECK(count(body, "class=\"m") - count(body, "class=\"mark") == kNames.size() * kNames.size());
  for (const char* text :
       {"training classes", "validation classes",
        "test classes (unseen; no choice depends on them)", "Effect of beta", "Choosing nu",
        "Objective and certified lower bound", "Certified gap", "Share of selected samples",
        "Accuracy of each unseen class", "Confusion: samples by true class",
        "Most frequent confusions", "0.429", "1.0e-07", "chance 0.200, 5 classes",
        "3 of 7 samples of polar bear classified as polar bear", "converged"}) {
    CAPTURE(text);
    CHECK(contains(body, text));
  }
  CHECK_FALSE(contains(body, "NaN"));
  CHECK_FALSE(contains(body, "undefined"));
}

TEST_CASE("names with markup are shown as text, and none of them runs, loads or opens anything") {
  const Files files;
  REQUIRE(report({files.a, files.b, "--compare", files.compare, "-o", files.page}).exit_code == 0);
  const std::string dom = dom_of(files), body = body_of(dom);
  CHECK(contains(dom, "<title>BZ-SCR: report</title>"));
  CHECK_FALSE(contains(body, "<img"));
  CHECK_FALSE(contains(body, "<i>"));
  CHECK_FALSE(contains(body, "<script"));
  CHECK_FALSE(std::regex_search(
      body, std::regex("<[a-z]+( [a-z-]+=\"[^\"]*\")* onfocus=")));  // as an attribute: as text it
                                                                     // may stand there
  CHECK(contains(body, "&lt;/script&gt;&lt;script&gt;document.title='owned'&lt;/script&gt;"));
  CHECK(contains(body, "\xC3\xB6tter &amp; \xE9\xB3\xA5 &lt;!-- --&gt;"));
  CHECK(count(dom, "<script") == 3);  // data, D3, charts
}

TEST_CASE("several runs share the charts, and the table of methods has the best values in bold") {
  const Files files;
  const Finished made = report({files.a, files.b, "--compare", files.compare, "-o", files.page});
  REQUIRE(made.exit_code == 0);
  CHECK(made.out.rfind(files.page + ": 2 runs and a comparison of 2 methods, ", 0) == 0);
  const std::string body = body_of(dom_of(files));
  CHECK(count(body, "<figure ") == 4 + 1 + 2 * 8);
  CHECK(contains(body, "Runs side by side"));
  CHECK(contains(body, "boosting"));
  CHECK(contains(body, "<strong>0.610</strong>"));
  CHECK(contains(body, "&lt;i&gt;NR&lt;/i&gt;"));
  CHECK(contains(body, "data-label=\"GZSL harmonic\">-</td>"));
}

TEST_CASE("the page loads no other file, and fits the width of a phone") {
  const Files files;
  REQUIRE(report({files.a, "--compare", files.compare, "-o", files.page}).exit_code == 0);
  const std::string page = test::read_bytes(files.page),
                    head = page.substr(0, page.find("<script type"));
  CHECK(contains(head, "default-src 'none'"));
  for (const char* part : {"<link", "@import", "url(", "src=\"http", "href="})
    CHECK_FALSE(contains(head, part));
  CHECK(page.size() < 600000);
  // Wider elements scroll inside their own box; the page itself must not scroll sideways. A script
  // that is appended to the page measures it.
  test::write_bytes(files.page,
                    page +
                        "<script>document.title = 'overflow ' + "
                        "(document.documentElement.scrollWidth - window.innerWidth)</script>");
  const std::string dom = dom_of(files, "500,900");
  CHECK(contains(dom, "<title>overflow 0</title>"));
}

TEST_CASE("with many unseen classes no name is broken, and the box of the table scrolls") {
  const Files files;
  std::vector<std::string> names, confusion;
  for (int r = 0; r < 40; ++r) {
    std::vector<int> row(40, 1);
    names.push_back(fmt::format("\"a long name of class {}\"", r));
    confusion.push_back(fmt::format("[{}]", fmt::join(row, ",")));
  }
  test::write_bytes(
      files.a,
      fmt::format(R"({{"phase":"result","result":{{"seconds":1,"weak_models":7,"samples":10,)"
                  R"("model_bytes":1234}},"unseen":{{"samples":1600,"error_rate":0.9,)"
                  R"("mean_delta":0.25,"per_class_top1":0.1,"classes":[{}],)"
                  R"("confusion":[{}]}}}})"
                  "\n",
                  fmt::join(names, ","), fmt::join(confusion, ",")));
  REQUIRE(report({files.a, "-o", files.page}).exit_code == 0);
  test::write_bytes(files.page,
                    test::read_bytes(files.page) +
                        "<script>var box = document.querySelector('.confusion .scroll'),"
                        " high = 0; document.querySelectorAll('.confusion tbody tr')"
                        ".forEach(function (row) {"
                        " high = Math.max(high, row.offsetHeight); });"
                        "document.title = 'row ' + (high <= 40) + ' box ' + "
                        "(box.offsetHeight < 1300) + ' page ' + "
                        "(document.documentElement.scrollWidth - window.innerWidth)"
                        "</script>");
  for (const char* window : {"500,900", "1200,900", "1920,1080"})
    CHECK(contains(dom_of(files, window), "<title>row true box true page 0</title>"));
}

/// A script that is appended to a page. It writes the smallest contrast ratios of the page's texts
/// and marks to the title, by WCAG 2, with translucent colours blended with their background.
const char* const kContrastScript = R"(<script>
(function () {
  document.querySelectorAll("details").forEach(function (each) { each.open = true; });
  function colour(text) {
    var n = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    return text === "none" ? [0, 0, 0, 0] : n.length === 3 ? n.concat(1) : n;
  }
  function over(top, under) {
    return [0, 1, 2].map(function (i) { return top[3] * top[i] + (1 - top[3]) * under[i]; }).concat(1);
  }
  function luminance(c) {
    var linear = c.slice(0, 3).map(function (v) {
      return v / 255 <= 0.04045 ? v / 255 / 12.92 : Math.pow((v / 255 + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }
  function behind(element) {
    var layers = [];
    for (var at = element; at; at = at.parentElement) layers.push(colour(getComputedStyle(at).backgroundColor));
    return layers.reduceRight(function (under, top) { return over(top, under); }, [255, 255, 255, 1]);
  }
  function contrast(ink, ground) {
    var a = luminance(over(ink, ground)), b = luminance(ground);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  function is_hidden(element) {
    for (var at = element; at; at = at.parentElement) {
      var style = getComputedStyle(at);
      if (style.display === "none" || style.visibility !== "visible" || Number(style.opacity) < 1) return true;
    }
    return element.getClientRects().length === 0;
  }
  var texts = 0, marks = 0, hidden = 0, worst_text = [99, ""], worst_mark = [99, ""], smallest = 99;
  var walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    var element = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || element.closest("script, style, title, noscript")) continue;
    var style = getComputedStyle(element), in_svg = element instanceof SVGElement;
    ++texts;
    if (is_hidden(element)) { ++hidden; continue; }
    smallest = Math.min(smallest, parseFloat(style.fontSize));
    var ratio = contrast(colour(in_svg ? style.fill : style.color), behind(element));
    if (ratio < worst_text[0]) worst_text = [ratio, text];
  }
  document.querySelectorAll(".line, .mark, .bar, .reference").forEach(function (element) {
    var style = getComputedStyle(element);
    ++marks;
    if (is_hidden(element)) { ++hidden; return; }
    var filled = element.classList.contains("mark") || element.classList.contains("bar");
    var ratio = contrast(colour(filled ? style.fill : style.stroke), behind(element));
    if (ratio < worst_mark[0]) worst_mark = [ratio, element.getAttribute("class")];
  });
  document.title = ["contrast", luminance(behind(document.body)), texts, marks, hidden, smallest,
                    worst_text[0], worst_mark[0], worst_mark[1], worst_text[1]].join(" ");
})();
</script>)";

TEST_CASE("in light and dark mode every text and mark has enough contrast") {
  const Files files;
  REQUIRE(report({files.a, files.b, "--compare", files.compare, "-o", files.page}).exit_code == 0);
  test::write_bytes(files.page, test::read_bytes(files.page) + kContrastScript);
  std::vector<std::string> pictures;
  for (const bool dark : {false, true}) {
    CAPTURE(dark);
    const std::string scheme =
        std::string("--blink-settings=preferredColorScheme=") + (dark ? "0" : "1");
    const Finished run =
        browse(files, files.page, {"--window-size=1000,1500", scheme, "--dump-dom"});
    REQUIRE(run.exit_code == 0);
    const std::size_t title = run.out.find("<title>contrast ");
    REQUIRE(title != std::string::npos);
    std::istringstream said(run.out.substr(title + 16, 400));
    CAPTURE(said.str().substr(0, said.str().find("</title>")));
    double page = -1, smallest = 0, text = 0, mark = 0;
    int texts = 0, marks = 0, hidden = -1;
    said >> page >> texts >> marks >> hidden >> smallest >> text >> mark;
    CHECK((dark ? page < 0.05 : page > 0.8));
    CHECK(texts > 200);
    CHECK(marks > 100);
    CHECK(hidden == 0);
    CHECK(smallest >= 11);  // pixels
    CHECK(text >= 4.5);     // required for texts by WCAG level AA
    CHECK(mark >= 3);       // required for graphics by WCAG level AA

    const std::string file = files / (dark ? "dark.png" : "light.png");
    REQUIRE(browse(files, files.page, {"--window-size=1000,1500", scheme, "--screenshot=" + file})
                .exit_code == 0);
    pictures.push_back(test::read_bytes(file));
  }
  CHECK(pictures[0] != pictures[1]);
}

TEST_CASE("misuse and damaged files give one error message, exit code 2 and no page") {
  const Files files;
  test::write_bytes(files / "empty.jsonl", "");
  test::write_bytes(files / "damaged.jsonl",
                    history("bzscr").substr(0, 200) + "\n" + history("bzscr"));
  const std::pair<Arguments, std::string> misuses[] = {
      {{"-o", files.page}, "nothing to report; expected HISTORY or --compare FILE"},
      {{files.a}, "--output is required"},
      {{files.a, "-o", "/nowhere/page.html"},
       "/nowhere/page.html: cannot be written: No such file or directory"},
      {{files / "none.jsonl", "-o", files.page}, files / "none.jsonl: No such file or directory"},
      {{files.path(), "-o", files.page}, files.path() + ": expected a file, found a folder"},
      {{files / "empty.jsonl", "-o", files.page},
       files / "empty.jsonl: is empty; expected the history of a run, one JSON object per line"},
      {{files.a, files.compare, "-o", files.page},
       files.compare + ":1: has no \"phase\"; expected a text"},
      {{files.a, "--compare", files.a, "-o", files.page}, files.a + ": is not JSON"},
      {{files.a, "--outputt", files.page}, "unknown option '--outputt'; did you mean '--output'?"},
  };
  for (const auto& [arguments, said] : misuses) {
    CAPTURE(said);
    const Finished run = report(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CAPTURE(run.err);
    CHECK(run.err.rfind("bzscr-report: " + said, 0) == 0);
    CHECK_FALSE(std::filesystem::exists(files.page));
  }
  CHECK(contains(report({files / "damaged.jsonl", "-o", files.page}).err,
                 files / "damaged.jsonl:2: is not JSON"));
  const Finished torn = [&] {
    test::write_bytes(files / "torn.jsonl", history("bzscr") + "{\"pha");
    return report({files / "torn.jsonl", "-o", files.page});
  }();
  CHECK(torn.exit_code == 0);
  CHECK(contains(torn.err, "is incomplete and was left out"));
  CHECK(contains(report({"--help"}).out, "Examples:"));
  CHECK(report({"--version"}).out.rfind("bzscr-report ", 0) == 0);
}

}  // namespace
}  // namespace bzscr
