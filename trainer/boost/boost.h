#pragma once

#include "boost/config.h"
#include "boost/observer.h"
#include "core/certificate.h"
#include "core/curvature.h"
#include "types/ensemble.h"
#include "types/problem.h"

namespace bzscr {

enum class Ending {
  kConverged,      ///< no weak model violates the dual constraint, or the gap is small enough
  kEarlyStopping,  ///< the validation error was above its best after T_ES iterations
  kIterationLimit,
  kInterrupted,    ///< the observer asked for it
};

/// A trained model, in the coordinates of the problem's Phi.
struct Trained {
  Ensemble ensemble;
  Vector s;                      ///< N: sample weights of the problem that the certificate speaks of
  Certificate certificate{0, 0};
  Index iterations = 0;          ///< of the ensemble returned
  Index evaluations = 0;         ///< passes over the samples, in all
  double selected = 1;           ///< share of samples with s_i > 0
  double validation_error = -1;  ///< of the ensemble returned; -1: not measured
  Ending ending = Ending::kConverged;
};

/// Algorithm 1 to the letter: one weak model an iteration, all weights optimised anew, the samples
/// reselected. Returns the ensemble of the lowest validation error; without validation, the last one.
/// \param s  N, sample weights to start from; without selection of samples they stay
Trained boost(const Problem& train, const Validation* validation, const BoostConfig& config, Vector s, Observer& observer);

/// What a refined run starts from.
struct Start {
  Vector s;            ///< N
  Ensemble ensemble;   ///< may be empty (k = 0, U m x 0, V p x 0)
  bool annealed = false;  ///< the final share is let in at once: the start has been trained before
};

/// The same problem with weak models that move: blocks of singular pairs, joint refinement,
/// recompression, the samples reselected. Ends when the certified relative gap is under config.gap.
/// \param features  of train.X: the same for every nu and beta
Trained boost_refined(const Problem& train, const FeatureSpectrum& features, const BoostConfig& config, Start start,
                      Observer& observer);

/// Start of a run that knows nothing: s = 1, no weak models.
Start fresh_start(const Problem& problem);

/// Share of samples that take part.
double selected_share(const Vector& s);

}  // namespace bzscr
