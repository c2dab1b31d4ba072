#pragma once

#include "core/feature_spectrum.h"
#include "core/metrics.h"
#include "tuning/calibration.h"
#include "types/ensemble.h"
#include "types/scaling.h"

#include <cstdint>
#include <vector>

namespace bzscr {

// Labelled samples that a device has of a class move the row of the class (schema/FORMAT.md). What
// the rule needs is chosen here: the device is played on the validation folds.

/// How many samples of each class are taught when the device is played.
inline constexpr Index kShots[] = {1, 2, 5, 10};

/// The rule of schema/FORMAT.md, and what it is worth.
struct Teaching {
  double blend = 1;   ///< n samples weigh n / (n + blend) against the embedding
  double offset = 0;  ///< subtracted from the scores of taught classes, times that weight
  /// Per-class accuracy on validation classes among all classes, with the seen-class penalty, after
  /// 0 samples of each and after kShots.
  std::vector<double> accuracy;
};

/// Directions of x beside those of the ensemble: m x (at most total - k), orthonormal to U and to
/// one another, along which the samples vary most. Taught classes use them. Without columns if
/// there are none, or if the spectrum has no eigenvectors.
/// \param U  m x k, orthonormal
Matrix teaching_directions(const FeatureSpectrum& spectrum, const Matrix& U, Index total);

/// Outcomes of a fold's samples for each trial: untaught, and taught each number of kShots with
/// each candidate for the blend. All trials have the same samples: those of seen classes, and of
/// the validation classes all but ten, or half, that are taught; of many samples some thousands.
/// \param ensemble    trained on the fold; U orthonormal
/// \param directions  of teaching_directions()
std::vector<std::vector<JointOutcome>> taught_outcomes(const CalibrationFold& fold,
                                                       const Ensemble& ensemble, ScoreForm form,
                                                       const Matrix& directions,
                                                       std::uint64_t seed);

/// The blend with the highest H, averaged over numbers of samples and folds, and the offset with
/// which the penalty suits taught classes too, while S falls by at most 0.03.
/// \param trials   of each fold
/// \param penalty  of seen classes, which was chosen before
Teaching choose_teaching(const std::vector<std::vector<std::vector<JointOutcome>>>& trials,
                         double penalty);

/// What a model is worth after 0 samples of each unseen class and after kShots.
struct TaughtAccuracy {
  Index shots;
  double among_unseen;  ///< per-class accuracy of unseen classes among these
  SeenUnseen joint;     ///< among all classes, with the penalty
};
/// \param trials  of taught_outcomes(), with samples of both kinds of classes
std::vector<TaughtAccuracy> taught_accuracy(const std::vector<std::vector<JointOutcome>>& trials,
                                            const Teaching& teaching, double penalty);

}  // namespace bzscr
