#pragma once

#include "cli/options.h"
#include "cli/progress.h"
#include "data/dataset.h"
#include "export/model_writer.h"
#include "geometry/divergence.h"
#include "tuning/tune_baseline.h"

#include <vector>

namespace bzscr {

/// A model that another method than BZ-SCR trained, and how it came about.
struct BaselineResult {
  ModelFile model;
  Setting setting;
  std::vector<TriedSetting> tried;  ///< empty where all was given
  double seconds = 0;
};

/// From a data set to a model of options.baseline: what is not given is chosen on validation classes, then the run on all
/// seen classes. Throws InputError where nothing was learned, or where it was interrupted: there is no half of these.
BaselineResult train_baseline(const Dataset& data, const Divergence& divergence, const TrainOptions& options, ProgressLog& log);

}  // namespace bzscr
