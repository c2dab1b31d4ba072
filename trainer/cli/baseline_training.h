#pragma once

#include "cli/training.h"
#include "tuning/tune_baseline.h"

#include <vector>

namespace bzscr {

/// A model that another method than BZ-SCR trained, and how it came about.
struct BaselineResult {
  ModelFile model;
  Setting setting;
  std::vector<TriedSetting> tried;  ///< empty where all was given
  double seconds = 0;
  std::optional<UnseenTest> unseen;
};

/// From a data set to a model of options.baseline: what is not given is chosen on validation
/// classes, then the run on all seen classes. Throws InputError where nothing was learned, or where
/// it was interrupted: there is no half of these.
/// \param history  gets the settings first; what comes after them goes through the log
BaselineResult train_baseline(const Dataset& data, const Divergence& divergence,
                              const TrainOptions& options, History& history, ProgressLog& log);

}  // namespace bzscr
