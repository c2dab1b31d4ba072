#include "report/charts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace bzscr::report {
namespace {

using Measure = double Iteration::*;

constexpr std::ptrdiff_t kMostBars = 40;  // more classes are cut in the middle

// Index of the palette and of the list of marks; a quantity has the same index in all charts.
enum Tone { kTraining = 0, kValidation = 1, kTest = 2, kBound = 3 };

Json axis(const char* label) { return {{"label", label}}; }

// An axis that does not start from 0, to show differences.
Json fitted(const char* label) { return {{"label", label}, {"fit", true}}; }

Json logarithmic(const char* label) { return {{"label", label}, {"log", true}}; }

Json series(const std::string& name, int tone, Json points) {
  return {{"name", name}, {"tone", tone}, {"points", std::move(points)}};
}

/// Points (iteration, value) where the value was measured.
Json by_iteration(const std::vector<Iteration>& run, Measure measure) {
  Json points = Json::array();
  for (const Iteration& at : run)
    if (at.*measure >= 0 || measure == &Iteration::lower_bound)
      points.push_back({at.number, at.*measure});
  return points;
}

void add_if_any(Json& all, const std::string& name, int tone, Json points) {
  if (!points.empty()) all.push_back(series(name, tone, std::move(points)));
}

Json lines(Json x, Json y, Json all) {
  return {{"kind", "lines"}, {"x", std::move(x)}, {"y", std::move(y)}, {"series", std::move(all)}};
}

void add_chart(std::vector<Chart>& charts, const char* title, const std::string& note, Json x,
               Json y, Json all) {
  if (!all.empty())
    charts.push_back({title, note, lines(std::move(x), std::move(y), std::move(all))});
}

/// For each beta, the grid point with the lowest validation error over nu.
std::map<double, GridPoint> best_by_beta(const std::vector<GridPoint>& tuning) {
  std::map<double, GridPoint> best;
  for (const GridPoint& point : tuning) {
    const auto [place, added] = best.emplace(point.beta, point);
    if (!added && point.validation_error < place->second.validation_error) place->second = point;
  }
  return best;
}

/// A sentence on sample selection, where it changes what is fitted.
std::string why_errors_rise(const std::vector<Iteration>& run) {
  const bool selects = std::any_of(run.begin(), run.end(), [](const Iteration& at) {
    return at.selected < 1 && at.training_error >= 0;
  });
  return selects ? " The training error counts all training samples, but an iteration fits only "
                   "those selected so far, from easy to hard: it may rise when harder ones join."
                 : "";
}

Json beta_points(const Run& run) {
  Json points = Json::array();
  for (const auto& [beta, best] : best_by_beta(run.tuning))
    points.push_back({beta, best.validation_error});
  return points;
}

// There are few betas and the first is 0, so they are drawn at equal distances.
Json beta_axis() { return {{"label", "beta (per sample)"}, {"steps", true}}; }

std::string short_number(double value) {
  std::string text = Json(value).dump();
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text;
}

/// For methods other than BZ-SCR and boosting: the x axis is the last parameter, with one line per
/// combination of the others.
void add_tried(std::vector<Chart>& charts, const std::vector<TriedSetting>& tried) {
  if (tried.size() < 2 || tried.front().parameters.empty()) return;
  std::vector<std::pair<std::string, Json>> paths;
  for (const TriedSetting& one : tried) {
    std::string others;
    for (std::size_t j = 0; j + 1 < one.parameters.size(); ++j)
      others += (others.empty() ? "" : ", ") + one.parameters[j].first + " " +
                short_number(one.parameters[j].second);
    if (paths.empty() || paths.back().first != others) paths.emplace_back(others, Json::array());
    paths.back().second.push_back({one.parameters.back().second, one.validation_error});
  }
  Json all = Json::array();
  for (auto& [name, points] : paths)
    all.push_back(series(name, static_cast<int>(all.size()), std::move(points)));
  const std::string& along = tried.front().parameters.back().first;
  add_chart(charts, "Choosing parameters", "Error on validation classes.",
            logarithmic(along.c_str()), fitted("validation error"), std::move(all));
}

}  // namespace

std::string label_of(const Run& run) {
  std::string name = run.name.substr(run.name.find_last_of('/') + 1);
  const std::string end = ".jsonl";
  if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
    name.resize(name.size() - end.size());
  return name.empty() ? run.name : name;
}

std::vector<Chart> error_charts(const Run& run) {
  std::vector<Chart> charts;
  Json held_out = Json::array(), all_seen = Json::array();
  add_if_any(held_out, "training classes", kTraining,
             by_iteration(run.validation, &Iteration::training_error));
  add_if_any(held_out, "validation classes", kValidation,
             by_iteration(run.validation, &Iteration::validation_error));
  add_if_any(all_seen, "training classes", kTraining,
             by_iteration(run.training, &Iteration::training_error));
  add_if_any(all_seen, "test classes (unseen; no choice depends on them)", kTest,
             by_iteration(run.training, &Iteration::test_error));
  add_chart(
      charts, "Error by iteration, validation classes held out",
      "1 - accuracy averaged per class; validation classes have no training sample in this run." +
          why_errors_rise(run.validation),
      axis("iteration"), axis("error"), std::move(held_out));
  add_chart(charts, "Error by iteration, trained on all seen classes",
            "1 - accuracy averaged per class, in the run that trained the model." +
                why_errors_rise(run.training),
            axis("iteration"), axis("error"), std::move(all_seen));
  return charts;
}

std::vector<Chart> solution_charts(const Run& run) {
  std::vector<Chart> charts;
  if (run.training.empty()) return charts;
  add_chart(
      charts, "Objective and certified lower bound",
      "Per sample. The optimum for the samples selected at an iteration lies between the two; "
      "both rise while more samples are selected.",
      axis("iteration"), fitted("objective per sample"),
      {series("objective", kTraining, by_iteration(run.training, &Iteration::objective)),
       series("lower bound", kBound, by_iteration(run.training, &Iteration::lower_bound))});
  add_chart(
      charts, "Certified gap",
      "Upper bound of the relative distance of the objective from the optimum.", axis("iteration"),
      logarithmic("relative gap"),
      {series("certified gap", kTraining, by_iteration(run.training, &Iteration::relative_gap))});
  add_chart(charts, "Share of selected samples",
            "Samples with a weight above 0, from easy to hard.", axis("iteration"),
            {{"label", "share of samples"}, {"most", 1}},
            {series("selected", kTraining, by_iteration(run.training, &Iteration::selected))});
  return charts;
}

std::vector<Chart> tuning_charts(const Run& run) {
  std::vector<Chart> charts;
  add_tried(charts, run.tried);
  if (run.tuning.empty()) return charts;
  add_chart(charts, "Effect of beta", "Error on validation classes with the best nu for each beta.",
            beta_axis(), fitted("validation error"),
            {series("best over nu", kValidation, beta_points(run))});
  Json paths = Json::array();
  std::map<double, Json> by_beta;
  for (const GridPoint& point : run.tuning)
    by_beta.emplace(point.beta, Json::array())
        .first->second.push_back({point.nu, point.validation_error});
  for (auto& [beta, points] : by_beta)
    paths.push_back(
        series("beta " + short_number(beta), static_cast<int>(paths.size()), std::move(points)));
  add_chart(charts, "Choosing nu",
            "Error on validation classes along nu, from few weak models (right) to many (left).",
            logarithmic("nu (per sample)"), fitted("validation error"), std::move(paths));
  return charts;
}

std::vector<Chart> teaching_charts(const Run& run) {
  std::vector<Chart> charts;
  if (!run.result || run.result->taught.empty()) return charts;
  Json points = Json::array();
  for (const auto& [shots, accuracy] : run.result->taught) points.push_back({shots, accuracy});
  add_chart(charts, "Accuracy of classes that a device is taught",
            "Top-1 of validation classes among all classes, averaged per class, after so many "
            "labelled samples of each validation class; other samples test.",
            axis("labelled samples of each class"), axis("accuracy"),
            {series("validation classes", kValidation, std::move(points))});
  return charts;
}

std::vector<Chart> class_charts(const Run& run) {
  if (!run.unseen) return {};
  Json rows = Json::array();
  const Unseen& unseen = *run.unseen;
  for (std::size_t r = 0; r < unseen.classes.size(); ++r) {
    const std::vector<std::int64_t>& row = unseen.confusion[r];
    const auto samples = std::accumulate(row.begin(), row.end(), std::int64_t{0});
    rows.push_back({{"name", unseen.classes[r]}, {"samples", samples}, {"correct", row[r]}});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
    return a["correct"].get<double>() * b["samples"].get<double>() >
           b["correct"].get<double>() * a["samples"].get<double>();
  });
  const double chance = 1.0 / static_cast<double>(unseen.classes.size());
  std::string note = "Top-1 among the unseen classes. None of them had a training sample.";
  if (rows.size() > static_cast<std::size_t>(kMostBars)) {
    rows.erase(rows.begin() + kMostBars / 2, rows.end() - kMostBars / 2);
    note += " The " + std::to_string(kMostBars / 2) + " highest and the " +
            std::to_string(kMostBars / 2) + " lowest of " + std::to_string(unseen.classes.size()) +
            "; all are in the table below.";
  }
  return {{"Accuracy of each unseen class",
           note,
           {{"kind", "bars"},
            {"x", axis("accuracy")},
            {"rows", rows},
            {"mark", {{"at", chance}, {"label", "chance"}}}}}};
}

std::vector<Chart> shared_charts(const std::vector<Run>& runs) {
  std::vector<Chart> charts;
  const auto add = [&](const char* title, const char* note, const Json& x, const Json& y,
                       auto points_of) {
    Json all = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i)
      add_if_any(all, label_of(runs[i]), static_cast<int>(i), points_of(runs[i]));
    if (all.size() > 1) add_chart(charts, title, note, x, y, std::move(all));
  };
  const Json iteration = axis("iteration"), error = axis("error");
  add("Training classes", "Error on training samples of all seen classes.", iteration, error,
      [](const Run& run) { return by_iteration(run.training, &Iteration::training_error); });
  add("Validation classes", "Error on validation classes, held out.", iteration, error,
      [](const Run& run) { return by_iteration(run.validation, &Iteration::validation_error); });
  add("Test classes", "Error on unseen classes; no choice depends on them.", iteration, error,
      [](const Run& run) { return by_iteration(run.training, &Iteration::test_error); });
  add("Effect of beta", "Error on validation classes with the best nu for each beta.", beta_axis(),
      fitted("validation error"), beta_points);
  return charts;
}

}  // namespace bzscr::report
