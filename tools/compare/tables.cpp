#include "compare/tables.h"

#include "support/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bzscr::cli {
namespace {

using train::ComparedForm;
using train::Mean;
using train::Measures;
using train::TaughtMeasures;

template <class Value>
Mean over_splits(const ComparedForm& form, Value value) {
  std::vector<double> values;
  for (const Measures& at : form.splits) values.push_back(value(at));
  return train::mean_of(values);
}

std::string number(const Mean& m, bool spread = false) {
  const auto plain = [](double value) {
    std::string text = fmt::format("{:.3f}", value);
    return text.rfind("0.", 0) == 0 ? text.substr(1) : text;
  };
  return plain(m.mean) + (spread && m.deviation > 0 ? "±" + plain(m.deviation) : "");
}

bool joint(const ComparedForm& form) { return form.splits.front().joint; }

/// A measure of the table, and its name in JSON.
struct Measure {
  const char* title;
  const char* key;
  double (*value)(const Measures&);
  bool joint;  ///< needs held-out samples of seen classes
};

const Measure kMeasures[] = {
    {"error", "error_rate", [](const Measures& m) { return m.error_rate; }, false},
    {"mean Delta", "mean_delta", [](const Measures& m) { return m.mean_delta; }, false},
    {"per class", "per_class_top1", [](const Measures& m) { return m.per_class_top1; }, false},
    {"S", "gzsl_seen", [](const Measures& m) { return m.plain.seen; }, true},
    {"U", "gzsl_unseen", [](const Measures& m) { return m.plain.unseen; }, true},
    {"H", "gzsl_harmonic", [](const Measures& m) { return m.plain.harmonic(); }, true},
    {"S cal.", "gzsl_seen_calibrated", [](const Measures& m) { return m.calibrated.seen; }, true},
    {"U cal.", "gzsl_unseen_calibrated", [](const Measures& m) { return m.calibrated.unseen; },
     true},
    {"H cal.", "gzsl_harmonic_calibrated",
     [](const Measures& m) { return m.calibrated.harmonic(); }, true},
    {"AUSUC", "ausuc", [](const Measures& m) { return m.ausuc; }, true},
};

double bytes_of(const Measures& m) { return static_cast<double>(*m.model_bytes); }

/// The columns of teaching: U among all classes after so many samples of each unseen class.
constexpr std::int64_t kShots[] = {1, 5};

/// On every split; an empty model cannot be taught.
bool taught(const ComparedForm& form) {
  return std::none_of(form.splits.begin(), form.splits.end(),
                      [](const Measures& m) { return m.taught.empty(); });
}

bool any_taught(const std::vector<ComparedForm>& forms) {
  return std::any_of(forms.begin(), forms.end(), taught);
}

/// "-" for a model that cannot be taught.
std::string taught_cell(const ComparedForm& form, std::int64_t shots) {
  if (!taught(form)) return "-";
  return number(over_splits(form, [&](const Measures& m) {
    return std::find_if(m.taught.begin(), m.taught.end(),
                        [&](const TaughtMeasures& t) { return t.shots == shots; })
        ->joint.unseen;
  }));
}

std::vector<std::string> row_of(const ComparedForm& form, bool with_teaching) {
  std::vector<std::string> cells = {
      name_of(form) + (form.counts ? "" : " *"),
      form.mean_rank > 0 ? fmt::format("{:.2f}", form.mean_rank) : "-"};
  for (const Measure& each : kMeasures)
    cells.push_back(each.joint && !joint(form) ? "-"
                                               : number(over_splits(form, each.value),
                                                        each.key == std::string("per_class_top1")));
  if (with_teaching)
    for (const std::int64_t shots : kShots) cells.push_back(taught_cell(form, shots));
  cells.push_back(
      fmt::format("{:.1f}", over_splits(form, [](const Measures& m) { return m.seconds; }).mean));
  cells.push_back(form.splits.front().model_bytes
                      ? fmt::format("{:.0f}", over_splits(form, bytes_of).mean)
                      : "-");
  return cells;
}

const ComparedForm* reference_of(const std::vector<ComparedForm>& forms) {
  return forms.front().method == "bzscr" && forms.size() > 1 ? &forms.front() : nullptr;
}

Json taught_json(const ComparedForm& form, std::size_t n) {
  const auto mean = [&](auto value) {
    return over_splits(form, [&](const Measures& m) { return value(m.taught[n]); }).mean;
  };
  return Json::object(
      {{"shots", form.splits.front().taught[n].shots},
       {"among_unseen", mean([](const TaughtMeasures& t) { return t.among_unseen; })},
       {"gzsl_seen_calibrated", mean([](const TaughtMeasures& t) { return t.joint.seen; })},
       {"gzsl_unseen_calibrated", mean([](const TaughtMeasures& t) { return t.joint.unseen; })}});
}

Json json_of(const ComparedForm& form, const ComparedForm* reference) {
  Json json = Json::object({{"method", form.method},
                            {"form", form.form.empty() ? Json() : Json(form.form)},
                            {"mean_rank", form.mean_rank > 0 ? Json(form.mean_rank) : Json()}});
  for (const Measure& each : kMeasures) {
    const Mean mean = over_splits(form, each.value);
    json.add(each.key, each.joint && !joint(form) ? Json() : Json(mean.mean));
    if (each.key == std::string("per_class_top1"))
      json.add("per_class_top1_deviation", mean.deviation);
  }
  Json after = Json::array();
  for (std::size_t n = 0; taught(form) && n < form.splits.front().taught.size(); ++n)
    after.push_back(taught_json(form, n));
  json.add("taught", after)
      .add("seconds", over_splits(form, [](const Measures& m) { return m.seconds; }).mean)
      .add("model_bytes",
           form.splits.front().model_bytes ? Json(over_splits(form, bytes_of).mean) : Json());
  if (reference != nullptr && reference != &form)
    json.add(
        "against_bzscr",
        Json::object({{"per_class_top1", Json::object({{"mean", form.difference.mean},
                                                       {"deviation", form.difference.deviation}})},
                      {"better", form.better},
                      {"worse", form.worse}}));
  Json splits = Json::array();
  for (const Measures& m : form.splits)
    splits.push_back(Json::object(
        {{"setting", m.setting},
         {"validation_error", m.validation_error},
         {"error_rate", m.error_rate},
         {"mean_delta", m.mean_delta},
         {"per_class_top1", m.per_class_top1},
         {"gzsl_seen_calibrated", m.joint ? Json(m.calibrated.seen) : Json()},
         {"gzsl_unseen_calibrated", m.joint ? Json(m.calibrated.unseen) : Json()},
         {"gzsl_harmonic", m.joint ? Json(m.plain.harmonic()) : Json()},
         {"gzsl_harmonic_calibrated", m.joint ? Json(m.calibrated.harmonic()) : Json()},
         {"penalty", m.penalty},
         {"ausuc", m.joint ? Json(m.ausuc) : Json()},
         {"seconds", m.seconds}}));
  return json.add("splits", splits);
}

}  // namespace

std::string name_of(const ComparedForm& form) {
  return form.method + (form.form.empty() ? "" : " (" + form.form + ")");
}

void print_study(const Study& study, bool markdown) {
  const std::vector<ComparedForm>& forms = study.result.forms;
  fmt::print("{}\n\n", study.title);
  std::vector<std::vector<std::string>> cells(1, {"method", "rank"});
  for (const Measure& each : kMeasures) cells[0].push_back(each.title);
  const bool with_teaching = any_taught(forms);
  if (with_teaching)
    for (const std::int64_t shots : kShots) cells[0].push_back(fmt::format("U+{}", shots));
  cells[0].insert(cells[0].end(), {"seconds", "bytes"});
  for (const ComparedForm& form : forms) cells.push_back(row_of(form, with_teaching));
  print_table(cells, markdown);
  if (std::any_of(forms.begin(), forms.end(), [](const auto& form) { return !form.counts; }))
    fmt::print("\n{}* the other form has the lower error rate, and counts\n", markdown ? "\\" : "");
  const ComparedForm* reference = reference_of(forms);
  const std::size_t splits = forms.front().splits.size();
  if (splits < 2 || reference == nullptr) return;
  fmt::print("\nPer-class accuracy minus that of bzscr, split by split:\n\n");
  cells.assign(1, {"method", "difference", "standard error", "better", "worse"});
  for (const ComparedForm& form : forms) {
    if (&form == reference) continue;
    const double error = form.difference.deviation / std::sqrt(static_cast<double>(splits));
    cells.push_back({name_of(form), fmt::format("{:+.4f}", form.difference.mean),
                     fmt::format("{:.4f}", error), std::to_string(form.better),
                     std::to_string(form.worse)});
  }
  print_table(cells, markdown);
}

Json study_json(const Study& study) {
  const std::vector<ComparedForm>& forms = study.result.forms;
  const ComparedForm* reference = reference_of(forms);
  Json methods = Json::array();
  for (const ComparedForm& form : forms) {
    if (!form.counts) continue;
    Json both = Json::array();
    for (const ComparedForm& other : forms)
      if (other.method == form.method) both.push_back(json_of(other, reference));
    methods.push_back(json_of(form, reference).add("forms", both));
  }
  return Json::object({{"data", study.data},
                       {"embedding", study.embedding},
                       {"divergence", study.divergence},
                       {"splits", forms.front().splits.size()},
                       {"complete", study.result.complete},
                       {"own_split", study.own_split},
                       {"seed", study.seed},
                       {"average", study.average},
                       {"ridge", study.ridge},
                       {"methods", methods}});
}

}  // namespace bzscr::cli
