#include "cli/baseline_training.h"

#include "bzscr_train/error.hpp"
#include "baselines/bilinear.h"
#include "cli/interrupt.h"
#include "tuning/calibration.h"
#include "tuning/folds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace bzscr {
namespace {

std::vector<std::optional<double>> given(const TrainOptions& options) {
  std::vector<std::optional<double>> values;
  for (const HyperParameter& parameter : baseline_method(*options.baseline).parameters)
    values.push_back(options.hyper_parameter(parameter.name));
  return values;
}

/// Interrupted, the penalty is not chosen: the model is whole without it.
ChosenPenalty penalty_of(Baseline id, const Setting& setting, const BaselineConfig& config,
                         const Dataset& data, const Divergence& divergence,
                         const TrainOptions& options, ProgressLog& log) {
  std::vector<std::vector<JointOutcome>> outcomes;
  for (const ClassSplit& classes : validation_splits(data, data.partition, options.folds, options.seed)) {
    const CalibrationFold fold = calibration_fold(data, data.partition, divergence.Delta, classes, options.scalings,
                                                  options.seed, Origin::kTransform);
    log.begin("calibration", 0, 0, fold.split.problem.samples());
    const std::optional<BaselineModel> learned = learn_one(id, fold.split.problem, setting, config);
    if (!learned) return {};
    outcomes.push_back(held_out_outcomes(fold, weak_models(learned->W)));
  }
  return choose_penalty(outcomes);
}

}  // namespace

BaselineResult train_baseline(const Dataset& data, const Divergence& divergence,
                              const TrainOptions& options, History& history, ProgressLog& log) {
  const auto start = std::chrono::steady_clock::now();
  const Baseline id = *options.baseline;
  const BaselineConfig config{options.average, options.seed, [] { return interrupted(); }};
  const InputError no_model("interrupted before there was a model; nothing written");

  history.add(settings_line(options, data, divergence, false));
  BaselineResult result;
  const BaselineTuning tuning{given(options), config, options.scalings, options.folds};
  const bool chosen = std::any_of(tuning.given.begin(), tuning.given.end(),
                                  [](const auto& value) { return !value; });
  double validation_error = -1;
  if (chosen) {
    log.begin("tuning", 0, 0, 1);
    TunedBaseline tuned = tune_baseline(
        data, divergence.Delta, id, tuning,
        [&](const TriedSetting& one, Index done, Index of) { log.setting(one, id, done, of); });
    if (tuned.best.empty()) throw no_model;
    result.setting = tuned.best;
    result.tried = std::move(tuned.tried);
    validation_error = tuned.validation_error;
  } else {
    for (const std::optional<double>& value : tuning.given) result.setting.push_back(*value);
  }

  const SplitProblem split =
      split_problem(data, data.partition, divergence.Delta, {seen_classes(data, data.partition), data.partition.unseen},
                    options.scalings, Origin::kTransform);
  log.begin("training", 0, 0, split.problem.samples());
  const std::optional<BaselineModel> learned = learn_one(id, split.problem, result.setting, config);
  if (!learned) throw no_model;
  if (learned->W.isZero(0))
    throw InputError("the method learned nothing: no sample violates; the model would be empty");
  if (!learned->W.allFinite())
    throw InputError("the method diverged with " + words_of(id, result.setting) +
                     "; expected a smaller --rate");

  const ChosenPenalty chosen_penalty =
      options.calibration && can_hold_out(data, data.partition)
          ? penalty_of(id, result.setting, config, data, divergence, options, log)
          : ChosenPenalty{};
  log.end();

  result.model = describe_run(data, divergence, options, split);
  Ensemble ensemble = weak_models(learned->W);
  if (options.reported()) result.unseen = test_unseen(data, divergence, options, split, ensemble);
  result.model.ensemble = split.lift(std::move(ensemble));
  TrainingRecord& record = result.model.record;
  record.method = baseline_method(id).word;
  record.solver = baseline_method(id).solver;
  record.hyper_parameters =
      words_of(id, result.setting) + (options.average ? ", iterates averaged" : "");
  record.tuned = chosen;
  record.validation_error = validation_error;
  if (chosen_penalty.harmonic > 0) {
    result.model.seen_penalty = chosen_penalty.penalty;
    record.validation_harmonic = chosen_penalty.harmonic;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace bzscr
