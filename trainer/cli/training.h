#pragma once

#include "cli/checkpoint.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "data/dataset.h"
#include "export/model_writer.h"
#include "geometry/divergence.h"

namespace bzscr {

/// How the trained model tells the unseen classes apart, where the data set has samples of theirs.
/// For the reader of a report; nothing is chosen by it.
struct UnseenTest {
  std::vector<Index> classes;  ///< of the data set
  RowMatrix<Index> confusion;  ///< by place in `classes`: true class (row), best class (column)
  Index samples = 0;
  double error_rate = 0;
  double mean_delta = 0;
  double per_class_top1 = 0;
};

/// A trained model and how it came about: what the summary and --json tell.
struct TrainingResult {
  ModelFile model;
  std::vector<GridPoint> tried;  ///< empty where nu and beta were given
  Ending ending = Ending::kConverged;
  Index evaluations = 0;    ///< passes over the samples, tuning and validation runs included
  double seconds = 0;       ///< of the same
  bool correlation = true;  ///< the correlation term took part
  std::optional<UnseenTest> unseen;
  bool without_validation_classes = false;  ///< interrupted before the run on all seen classes
};

/// All of a model file but the ensemble, and of the record but what depends on the method.
ModelFile describe_run(const Dataset& data, const Divergence& divergence,
                       const TrainOptions& options, const SplitProblem& split);

/// Nothing where the data set has no samples of unseen classes.
std::optional<UnseenTest> test_unseen(const Dataset& data, const Divergence& divergence,
                                      const TrainOptions& options, const SplitProblem& split,
                                      const Ensemble& ensemble);

/// From a data set to a model: nu and beta where they are not given, then (paper) the number of
/// iterations, on validation classes; then the run on all seen classes. Throws InputError where the
/// options do not suit the data, or where no model came about.
/// \param history     gets the settings first; what comes after them goes through the log
/// \param checkpoint  kept up to date, and begun from where options.resume asks for it
TrainingResult train(const Dataset& data, const Divergence& divergence, const TrainOptions& options,
                     History& history, ProgressLog& log, Checkpoint& checkpoint);

}  // namespace bzscr
