#pragma once

#include "core/metrics.h"
#include "geometry/split_problem.h"

#include <cstdint>
#include <vector>

namespace bzscr {

/// A rehearsal of what a device meets when seen and unseen classes stand side by side: some seen
/// classes are held out and play the unseen ones, and of every other seen class some samples are
/// held out too.
struct CalibrationFold {
  SplitProblem split;  ///< what is trained on
  Samples X;           ///< the held-out samples, of both kinds of classes
  Labels y;            ///< rows of split.problem.Phi
};

/// Of each class that trains, a fifth of its samples is held out, at least one where it has two;
/// drawn with `seed`. Samples that the partition holds out and samples of unseen classes take no part.
/// \param classes  one of validation_splits()
CalibrationFold calibration_fold(const Dataset& data, const Partition& partition,
                                 const Matrix& Delta, const ClassSplit& classes,
                                 const Scalings& scalings, std::uint64_t seed,
                                 const Execution& execution = {}, Origin origin = Origin::kMean);

/// The held-out samples, scored among all classes of the fold by an ensemble that was trained on
/// it.
std::vector<JointOutcome> held_out_outcomes(const CalibrationFold& fold, const Ensemble& ensemble);

/// The same from their scores, N x C.
std::vector<JointOutcome> held_out_outcomes(const CalibrationFold& fold, const MatrixF& scores);

/// The penalty of seen classes with the highest harmonic mean over the folds. Those without
/// held-out samples of both kinds say nothing; where there is no other, the penalty is 0, and so is
/// the mean.
ChosenPenalty choose_penalty(const std::vector<std::vector<JointOutcome>>& folds);

}  // namespace bzscr
