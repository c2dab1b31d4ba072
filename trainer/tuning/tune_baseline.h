#pragma once

#include "baselines/methods.h"
#include "data/dataset.h"
#include "geometry/split_problem.h"

#include <functional>
#include <optional>
#include <vector>

namespace bzscr {

struct BaselineTuning {
  std::vector<std::optional<double>>
      given;  ///< for each parameter of the method: its value, or to be chosen
  BaselineConfig baseline;
  Scalings scalings;
  Index folds = 1;  ///< drawn with baseline.seed where the data set names no validation classes
  Execution execution{};
};

struct TriedSetting {
  Setting setting;
  double validation_error = 0;  ///< 1 - per-class accuracy, averaged over the folds
};

struct TunedBaseline {
  Setting best;                 ///< empty where config.stop ended it
  double validation_error = 1;  ///< of the best
  std::vector<TriedSetting>
      tried;  ///< in the order of the grids, the last parameter changing fastest
};

/// The parameters that are not given, chosen on held-out classes from the method's grids. The
/// lowest error wins, among equals the first.
/// \param done  told of each setting of each fold, one call at a time
TunedBaseline tune_baseline(
    const Dataset& data, const Partition& partition, const Matrix& Delta, Baseline id,
    const BaselineTuning& config,
    const std::function<void(const TriedSetting&, Index done, Index of)>& done = nullptr);

/// The method learned with one setting; nothing where config.stop ended it.
std::optional<BaselineModel> learn_one(Baseline id, const Problem& problem, const Setting& setting,
                                       const BaselineConfig& config);

}  // namespace bzscr
