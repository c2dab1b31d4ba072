#include "report/page.h"

#include "base/spelling.h"
#include "report/assets.h"
#include "report/charts.h"
#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace bzscr::report {
namespace {

using Row = std::vector<Cell>;

constexpr std::size_t kConfusionsListed = 8;
constexpr std::size_t kMostClasses = 25;  // of the confusion table

std::string number(double value) { return fmt::format("{:.3f}", value); }
std::string small(double value) { return fmt::format("{:.2g}", value); }
std::string or_dash(double value) { return value < 0 ? "-" : number(value); }
std::string or_dash(const std::optional<double>& value) { return value ? number(*value) : "-"; }
std::string duration(double seconds) {
  return fmt::format(seconds < 10 ? "{:.1f} s" : "{:.0f} s", seconds);
}

std::string spaced(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

/// The page under construction, with its charts.
class Page {
 public:
  void add(const std::string& html) { body_ += html; }

  void charts(const std::vector<Chart>& all) {
    if (all.empty()) return;
    body_ += "<div class=\"grid\">\n";
    for (const Chart& chart : all) figure(chart);
    body_ += "</div>\n";
  }

  std::string finish(const std::string& title) const {
    // The data must not end the script element or open a comment.
    std::string data = charts_.dump(-1, ' ', true, Json::error_handler_t::replace);
    for (std::size_t at = 0; (at = data.find('<', at)) != std::string::npos; at += 6)
      data.replace(at, 1, "\\u003c");
    return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta "
           "name=\"color-scheme\" content=\"light dark\">\n"
           "<title>" +
           escaped(title) + "</title>\n<style>\n" + kStyle + "</style></head>\n<body>\n" + body_ +
           "<footer>Every figure is in this file; nothing is loaded. Charts are drawn by D3 (its "
           "licence is in the source of this page).</footer>\n"
           "<script type=\"application/json\" id=\"charts\">" +
           data + "</script>\n<script>" + kD3Licence + kD3 + "</script>\n<script>\n" +
           kChartsScript + "</script>\n</body></html>\n";
  }

 private:
  void figure(const Chart& chart) {
    const std::string id = fmt::format("chart-{}", charts_.size());
    body_ += fmt::format(
        "<figure id=\"{}\"><figcaption><h3>{}</h3><p>{}</p></figcaption><div "
        "class=\"plot\"></div></figure>\n",
        id, escaped(chart.title), escaped(chart.note));
    Json spec = chart.spec;
    spec["id"] = id;
    spec["title"] = chart.title;
    charts_.push_back(std::move(spec));
  }

  std::string body_;
  Json charts_ = Json::array();
};

// ---- one run ----

std::string tile(const std::string& label, const std::string& value, const std::string& beside) {
  return fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n",
                     escaped(label), escaped(value), escaped(beside));
}

std::string joint_tiles(const Unseen& unseen) {
  if (!unseen.joint || !unseen.calibrated) return "";
  const auto text = [](const SeenUnseen& at) {
    return fmt::format("S {:.3f}, U {:.3f}", at.seen, at.unseen);
  };
  return tile("seen and unseen classes compete, H", number(unseen.calibrated->harmonic),
              fmt::format("{}; without the penalty of seen classes H {:.3f}, {}",
                          text(*unseen.calibrated), unseen.joint->harmonic, text(*unseen.joint)));
}

std::string tiles(const Run& run) {
  std::string out = "<dl class=\"tiles\">\n";
  if (run.unseen)
    out +=
        tile("unseen classes, per-class accuracy", number(run.unseen->per_class_top1),
             fmt::format("chance {:.3f}, {}", 1.0 / static_cast<double>(run.unseen->classes.size()),
                         counted(run.unseen->classes.size(), "class"))) +
        tile("unseen classes, error rate", number(run.unseen->error_rate),
             "mean Delta " + number(run.unseen->mean_delta)) +
        joint_tiles(*run.unseen);
  if (run.result) {
    const Result& result = *run.result;
    if (result.validation_error >= 0)
      out += tile("validation classes, per-class accuracy", number(1 - result.validation_error),
                  "used to choose parameters");
    if (result.relative_gap)
      out += tile("certified gap", fmt::format("{:.1e}", *result.relative_gap), result.ending);
    out +=
        tile("weak models", fmt::format("{}", result.weak_models),
             result.nu && result.beta ? fmt::format("nu {:g}, beta {:g}", *result.nu, *result.beta)
                                      : run.setting("method"));
    out += tile("time", duration(result.seconds),
                fmt::format("{}, model of {}",
                            counted(static_cast<std::uint64_t>(result.samples), "sample"),
                            counted(static_cast<std::uint64_t>(result.model_bytes), "byte")));
  }
  return out + "</dl>\n";
}

/// The classes that take part in most errors, as true or as predicted class, in their order; all
/// where there are few.
std::vector<std::size_t> most_confused(const Unseen& unseen) {
  const std::size_t C = unseen.classes.size();
  std::vector<std::size_t> classes(C);
  std::iota(classes.begin(), classes.end(), std::size_t{0});
  if (C <= kMostClasses) return classes;
  std::vector<std::int64_t> errors(C);
  for (std::size_t r = 0; r < C; ++r)
    for (std::size_t c = 0; c < C; ++c)
      if (r != c) {
        errors[r] += unseen.confusion[r][c];
        errors[c] += unseen.confusion[r][c];
      }
  std::stable_sort(classes.begin(), classes.end(),
                   [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  classes.resize(kMostClasses);
  std::sort(classes.begin(), classes.end());
  return classes;
}

Cell confusion_cell(const Unseen& unseen, std::size_t r, std::size_t c, std::int64_t samples) {
  const std::int64_t count = unseen.confusion[r][c];
  const double share = samples > 0 ? static_cast<double>(count) / static_cast<double>(samples) : 0;
  return {count > 0 ? std::to_string(count) : "", false,
          fmt::format(" class=\"m{}{}\" style='--share:{:.2f}' title=\"{} of {} samples of {} "
                      "classified as {}\"",
                      r == c ? " right" : "", share > 0.5 ? " full" : "", share, count, samples,
                      escaped(unseen.classes[r]), escaped(unseen.classes[c]))};
}

/// The name may be cut on the page; the title has all of it.
Cell name_cell(const std::string& name) {
  Cell cell = header_cell(name);
  cell.attributes = " title=\"" + escaped(name) + "\"";
  return cell;
}

std::string confusion_table(const Unseen& unseen) {
  const std::vector<std::size_t> classes = most_confused(unseen);
  const bool all = classes.size() == unseen.classes.size();
  std::vector<std::string> columns = {"true class"};
  for (const std::size_t c : classes) columns.push_back(unseen.classes[c]);
  if (!all) columns.emplace_back("others");
  columns.emplace_back("samples");
  std::vector<Row> rows;
  for (const std::size_t r : classes) {
    const std::vector<std::int64_t>& counts = unseen.confusion[r];
    const auto samples = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    std::int64_t others = samples;
    Row row = {name_cell(unseen.classes[r])};
    for (const std::size_t c : classes) {
      row.push_back(confusion_cell(unseen, r, c, samples));
      others -= counts[c];
    }
    if (!all) row.push_back(number_cell(std::to_string(others)));
    row.push_back(number_cell(std::to_string(samples)));
    rows.push_back(std::move(row));
  }
  const std::string caption = "Confusion: samples by true class (row) and predicted class (column)";
  return "<div class=\"confusion\">" +
         table(all ? caption
                   : fmt::format("{}, of the {} of {} classes with most errors", caption,
                                 classes.size(), unseen.classes.size()),
               columns, rows, false) +
         "</div>\n";
}

std::string classes_table(const Unseen& unseen) {
  std::vector<Row> rows;
  for (std::size_t r = 0; r < unseen.classes.size(); ++r) {
    const std::vector<std::int64_t>& counts = unseen.confusion[r];
    const auto samples = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    rows.push_back({header_cell(unseen.classes[r]), number_cell(std::to_string(samples)),
                    number_cell(std::to_string(counts[r]))});
  }
  return table("Unseen classes", {"class", "samples", "correct"}, rows, false);
}

std::string frequent_confusions(const Unseen& unseen) {
  struct Pair {
    std::size_t truth, best;
    std::int64_t count, samples;
  };
  std::vector<Pair> pairs;
  for (std::size_t r = 0; r < unseen.classes.size(); ++r)
    for (std::size_t c = 0; c < unseen.classes.size(); ++c)
      if (r != c && unseen.confusion[r][c] > 0)
        pairs.push_back({r, c, unseen.confusion[r][c],
                         std::accumulate(unseen.confusion[r].begin(), unseen.confusion[r].end(),
                                         std::int64_t{0})});
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.count > b.count; });
  if (pairs.size() > kConfusionsListed) pairs.resize(kConfusionsListed);
  std::vector<Row> rows;
  for (const Pair& pair : pairs)
    rows.push_back({header_cell(unseen.classes[pair.truth]), text_cell(unseen.classes[pair.best]),
                    number_cell(fmt::format("{} of {}", pair.count, pair.samples))});
  return pairs.empty() ? ""
                       : table("Most frequent confusions",
                               {"true class", "predicted class", "samples"}, rows, false);
}

std::string fields_table(const std::string& caption, const Fields& fields) {
  std::vector<Row> rows;
  for (const auto& [key, value] : fields)
    rows.push_back({header_cell(spaced(key)), text_cell(value)});
  return rows.empty() ? "" : table(caption, {"name", "value"}, rows, false);
}

std::string iterations_table(const std::string& caption, const std::vector<Iteration>& run) {
  std::vector<Row> rows;
  for (const Iteration& at : run)
    rows.push_back({{std::to_string(at.number), true},
                    number_cell(fmt::format("{:.6f}", at.objective)),
                    number_cell(fmt::format("{:.6f}", at.lower_bound)),
                    number_cell(fmt::format("{:.1e}", at.relative_gap)),
                    number_cell(std::to_string(at.weak_models)),
                    number_cell(number(at.selected)),
                    number_cell(or_dash(at.training_error)),
                    number_cell(or_dash(at.validation_error)),
                    number_cell(or_dash(at.test_error))});
  if (rows.empty()) return "";
  return table(caption,
               {"iteration", "objective", "lower bound", "gap", "weak models", "selected",
                "training error", "validation error", "test error"},
               rows, false);
}

std::string grid_table(const std::vector<GridPoint>& tuning) {
  std::vector<Row> rows;
  for (const GridPoint& point : tuning)
    rows.push_back({{small(point.beta), true},
                    number_cell(small(point.nu)),
                    number_cell(number(point.validation_error)),
                    number_cell(std::to_string(point.weak_models))});
  return rows.empty() ? ""
                      : table("Grid of beta and nu",
                              {"beta", "nu", "validation error", "weak models"}, rows, false);
}

std::string tried_table(const std::vector<TriedSetting>& tried) {
  std::vector<Row> rows;
  for (const TriedSetting& one : tried) {
    std::string setting;
    for (const auto& [name, value] : one.parameters)
      setting += fmt::format("{}{} {:g}", setting.empty() ? "" : ", ", name, value);
    rows.push_back({header_cell(setting), number_cell(number(one.validation_error))});
  }
  return rows.empty() ? ""
                      : table("Settings tried on validation classes",
                              {"setting", "validation error"}, rows, false);
}

std::string taught_table(const Run& run) {
  std::vector<Row> rows;
  if (run.result)
    for (const auto& [shots, accuracy] : run.result->taught)
      rows.push_back({{std::to_string(shots), true}, number_cell(number(accuracy))});
  return rows.empty() ? ""
                      : table("Classes that a device is taught",
                              {"labelled samples of each class", "accuracy"}, rows, false);
}

std::string details(const std::string& summary, const std::string& html) {
  return html.empty()
             ? ""
             : "<details><summary>" + escaped(summary) + "</summary>\n" + html + "</details>\n";
}

void add_run(Page& page, const Run& run, const std::string& heading) {
  page.add("<section>" + heading);
  if (!run.note.empty()) page.add("<p class=\"note\">" + escaped(run.note) + ".</p>\n");
  if (!run.result)
    page.add("<p class=\"note\">The history holds no result: the run had not ended.</p>\n");
  page.add(tiles(run));

  const std::vector<Chart> errors = error_charts(run);
  page.charts(errors);
  if (errors.empty() && run.tried.empty())
    page.add(
        "<p class=\"note\">Errors by iteration were not recorded; the training option curves "
        "records them.</p>\n");
  page.charts(solution_charts(run));
  page.charts(tuning_charts(run));
  page.charts(teaching_charts(run));
  if (run.unseen) {
    page.charts(class_charts(run));
    page.add("<div class=\"pair\">" + confusion_table(*run.unseen) +
             frequent_confusions(*run.unseen) + "</div>\n");
  }
  page.add(details("Settings and result",
                   "<div class=\"pair\">" + fields_table("Settings", run.settings) +
                       (run.result ? fields_table("Result", run.result->fields) : "") + "</div>"));
  page.add(details("Numbers behind the charts",
                   (run.unseen ? classes_table(*run.unseen) : "") + taught_table(run) +
                       grid_table(run.tuning) + tried_table(run.tried) +
                       iterations_table("Validation classes held out", run.validation) +
                       iterations_table("Trained on all seen classes", run.training)));
  page.add("</section>\n");
}

// ---- several ----

std::string formatted(const char* format, const Run& run, std::optional<double> Result::*field) {
  return run.result && (*run.result).*field
             ? fmt::format(fmt::runtime(format), *((*run.result).*field))
             : "-";
}

void add_runs_side_by_side(Page& page, const std::vector<Run>& runs) {
  std::vector<Row> rows;
  for (const Run& run : runs) {
    Row row = {header_cell(label_of(run)), text_cell(run.setting("method")),
               text_cell(run.setting("solver")), text_cell(run.setting("embedding"))};
    for (const std::string& cell :
         {run.unseen ? number(run.unseen->per_class_top1) : "-",
          run.unseen ? number(run.unseen->error_rate) : "-",
          run.unseen ? number(run.unseen->mean_delta) : "-", formatted("{:g}", run, &Result::nu),
          formatted("{:g}", run, &Result::beta), formatted("{:.1e}", run, &Result::relative_gap),
          run.result ? fmt::format("{}", run.result->weak_models) : "-",
          run.result ? duration(run.result->seconds) : "-"})
      row.push_back(number_cell(cell));
    rows.push_back(std::move(row));
  }
  page.add("<section><h2>Runs side by side</h2>\n" +
           table("Results on unseen classes, and training time",
                 {"run", "method", "solver", "embedding", "per-class accuracy", "error rate",
                  "mean Delta", "nu", "beta", "gap", "weak models", "time"},
                 rows, true));
  page.charts(shared_charts(runs));
  page.add("</section>\n");
}

void add_comparison(Page& page, const Comparison& comparison) {
  std::vector<Row> rows;
  const auto best = [&](std::optional<double> Method::*field, bool high) {
    std::optional<double> found;
    for (const Method& method : comparison.methods)
      if (const auto value = method.*field;
          value && (!found || (high ? *value > *found : *value < *found)))
        found = value;
    return found;
  };
  const struct {
    std::optional<double> Method::*field;
    bool high;
  } columns[] = {{&Method::mean_rank, false},    {&Method::error_rate, false},
                 {&Method::mean_delta, false},   {&Method::per_class_top1, true},
                 {&Method::gzsl_harmonic, true}, {&Method::gzsl_harmonic_calibrated, true},
                 {&Method::ausuc, true}};
  for (const Method& method : comparison.methods) {
    Row row = {header_cell(method.name + (method.counts ? "" : " *"))};
    for (const auto& [field, high] : columns) {
      Cell cell = number_cell(or_dash(method.*field));
      if (field == &Method::per_class_top1 && method.per_class_deviation &&
          *method.per_class_deviation > 0)
        cell.html += " \u00b1 " + number(*method.per_class_deviation);
      if (method.*field && method.*field == best(field, high))
        cell.html = "<strong>" + cell.html + "</strong>";
      row.push_back(cell);
    }
    row.push_back(number_cell(method.seconds ? duration(*method.seconds) : "-"));
    rows.push_back(std::move(row));
  }
  page.add("<section><h2>Methods compared</h2>\n" +
           table("On unseen classes" + (comparison.data.empty() ? "" : " of " + comparison.data) +
                     "; hyper-parameters chosen on validation classes; the best of a column is "
                     "bold; * another form of the method has a lower error rate and counts instead",
                 {"method", "mean rank", "error rate", "mean Delta", "per-class accuracy",
                  "GZSL harmonic", "GZSL harmonic, calibrated", "AUSUC", "time"},
                 rows, true));
  Json bars = Json::array();
  for (const Method& method : comparison.methods)
    if (method.per_class_top1 && method.counts)
      bars.push_back({{"name", method.name}, {"value", *method.per_class_top1}});
  if (!bars.empty())
    page.charts({{"Per-class accuracy by method",
                  "Top-1 on unseen classes, averaged per class.",
                  {{"kind", "bars"}, {"x", {{"label", "per-class accuracy"}}}, {"rows", bars}}}});
  page.add("</section>\n");
}

}  // namespace

std::string page(const std::vector<Run>& runs, const std::optional<Comparison>& comparison) {
  const std::string title = runs.size() == 1 ? "BZ-SCR: " + label_of(runs[0]) : "BZ-SCR: report";
  Page page;
  page.add("<header><h1>" + escaped(title) +
           "</h1>\n<p>Zero-shot classifiers, trained without a sample of the unseen classes. "
           "No choice depended on test "
           "classes.</p></header>\n<noscript><p class=\"note\">Charts need JavaScript; all their "
           "numbers are in the tables.</p></noscript>\n<main>\n");
  if (runs.size() > 1) add_runs_side_by_side(page, runs);
  if (comparison) add_comparison(page, *comparison);
  for (const Run& run : runs)
    add_run(page, run,
            runs.size() > 1 || comparison ? "<h2><bdi>" + escaped(label_of(run)) + "</bdi></h2>\n"
                                          : "");
  page.add("</main>\n");
  return page.finish(title);
}

}  // namespace bzscr::report
