#pragma once

#include "baselines/methods.h"
#include "data/dataset.h"
#include "geometry/split_problem.h"

#include <functional>
#include <optional>
#include <vector>

namespace bzscr {

struct BaselineTuning {
  /// For each parameter of the method its value; empty: to be chosen.
  std::vector<std::optional<double>> given;
  BaselineConfig baseline;
  Scalings scalings;
  Index folds = 1;  ///< to draw with baseline.seed if the partition has none; >= 1
  Execution execution{};
};

struct TriedSetting {
  Setting setting;
  double validation_error = 0;  ///< 1 - per-class accuracy, averaged over the folds
};

struct TunedBaseline {
  Setting best;                 ///< empty if config.stop ended the search
  double validation_error = 1;  ///< of the best
  /// In the order of the grids; the last parameter changes fastest.
  std::vector<TriedSetting> tried;
};

/// Chooses the parameters that are not given on held-out classes from the method's grids. The
/// setting with the lowest error is chosen, of equal ones the first.
/// \param done  called after each setting of each fold, one call at a time
TunedBaseline tune_baseline(
    const Dataset& data, const Partition& partition, const Matrix& Delta, Baseline id,
    const BaselineTuning& config,
    const std::function<void(const TriedSetting&, Index done, Index of)>& done = nullptr);

/// Trains the method with one setting; empty if config.stop ended the training.
std::optional<BaselineModel> learn_one(Baseline id, const Problem& problem, const Setting& setting,
                                       const BaselineConfig& config);

}  // namespace bzscr
