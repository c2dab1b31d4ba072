#include "tuning/tune_baseline.h"

#include "baselines/bilinear.h"
#include "core/metrics.h"
#include "tuning/folds.h"

namespace bzscr {
namespace {

using Grids = std::vector<std::vector<double>>;

Grids grids_of(Baseline id, const std::vector<std::optional<double>>& given) {
  Grids grids;
  for (const HyperParameter& parameter : baseline_method(id).parameters) {
    const std::optional<double>& value = given[grids.size()];
    grids.push_back(value ? std::vector<double>{*value} : parameter.grid);
  }
  return grids;
}

// All combinations; the last parameter changes fastest.
std::vector<TriedSetting> combinations(const Grids& grids) {
  std::vector<TriedSetting> all(1);
  for (const std::vector<double>& grid : grids) {
    std::vector<TriedSetting> longer;
    for (const TriedSetting& one : all)
      for (const double value : grid) {
        longer.push_back(one);
        longer.back().setting.push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

double error_of(const BaselineModel& model, const EvaluationSet& validation) {
  const Labels best = best_classes(scores(model, validation.X, validation.Phi));
  return 1 - per_class_accuracy(count_by_class(validation.y, best, validation.Phi.rows()));
}

}  // namespace

TunedBaseline tune_baseline(
    const Dataset& data, const Partition& partition, const Matrix& Delta, Baseline id,
    const BaselineTuning& config,
    const std::function<void(const TriedSetting&, Index done, Index of)>& done) {
  const Grids grids = grids_of(id, config.given);
  TunedBaseline tuned;
  tuned.tried = combinations(grids);
  const std::vector<ClassSplit> folds =
      validation_splits(data, partition, config.folds, config.baseline.seed);
  const auto all = static_cast<Index>(tuned.tried.size() * folds.size());
  Index count = 0;
  for (const ClassSplit& classes : folds) {
    const SplitProblem split = split_problem(data, partition, Delta, classes, config.scalings,
                                             config.execution, Origin::kTransform);
    const EvaluationSet validation = unseen_evaluation_set(data, partition, split);
    const bool whole = learn(
        id, split.problem, grids, config.baseline, [&](std::size_t s, const BaselineModel& model) {
          const double error = error_of(model, validation);
          tuned.tried[s].validation_error += error / static_cast<double>(folds.size());
          if (done) done({tuned.tried[s].setting, error}, ++count, all);
        });
    if (!whole) return tuned;
  }
  for (const TriedSetting& one : tuned.tried)
    if (tuned.best.empty() || one.validation_error < tuned.validation_error) {
      tuned.best = one.setting;
      tuned.validation_error = one.validation_error;
    }
  return tuned;
}

std::optional<BaselineModel> learn_one(Baseline id, const Problem& problem, const Setting& setting,
                                       const BaselineConfig& config) {
  std::vector<std::vector<double>> values;
  for (const double value : setting) values.push_back({value});
  std::optional<BaselineModel> learned;
  const bool whole = learn(id, problem, values, config,
                           [&](std::size_t, const BaselineModel& model) { learned = model; });
  return whole ? learned : std::nullopt;
}

}  // namespace bzscr
