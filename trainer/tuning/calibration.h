#pragma once

#include "core/metrics.h"
#include "geometry/split_problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace bzscr {

/// A simulation of generalised zero-shot classification: some seen classes are held out in the role
/// of unseen classes, and some samples of each remaining seen class are held out as well.
struct CalibrationFold {
  SplitProblem split;  ///< the training problem
  Samples X;           ///< held-out samples of both kinds of classes
  Labels y;            ///< their classes, rows of split.problem.Phi
};

/// Holds out a fifth of the samples of each training class, at least one if it has two, drawn with
/// `seed`. Samples that the partition holds out and samples of unseen classes are not used.
/// \param classes  one of validation_splits()
/// \param split    returns the training problem of the fold on the samples that a partition does
///   not hold out
CalibrationFold calibration_fold(const Dataset& data, const Partition& partition,
                                 const ClassSplit& classes, std::uint64_t seed,
                                 const std::function<SplitProblem(const Partition&)>& split);

/// The test of generalised zero-shot classification: a problem on all seen classes, and the samples
/// that the partition holds out of them with those of the unseen classes.
/// \param split  of all_classes()
CalibrationFold joint_test(const Dataset& data, const Partition& partition, SplitProblem split);

/// Whether there are held-out samples of both kinds of classes.
bool has_both_kinds(const std::vector<JointOutcome>& outcomes);

/// The outcomes of the held-out samples, scored among all classes of the fold with an ensemble that
/// was trained on it.
std::vector<JointOutcome> held_out_outcomes(const CalibrationFold& fold, const Ensemble& ensemble,
                                            ScoreForm form = ScoreForm::kPlain);

/// The same from their scores, N x C.
std::vector<JointOutcome> held_out_outcomes(const CalibrationFold& fold, const MatrixF& scores);

/// The penalty of seen classes with the highest harmonic mean over the folds. Folds without
/// held-out samples of both kinds are ignored; if no other is left, penalty and mean are 0.
ChosenPenalty choose_penalty(const std::vector<std::vector<JointOutcome>>& folds);

}  // namespace bzscr
