#pragma once

#include "core/certificate.h"
#include "core/curvature.h"
#include "solver/config.h"
#include "solver/observer.h"
#include "solver/self_paced_schedule.h"
#include "types/ensemble.h"
#include "types/problem.h"

namespace bzscr {

enum class Ending {
  kConverged,      ///< no weak model violates the dual constraint, or the gap is small enough
  kEarlyStopping,  ///< the validation error was above its best after T_ES iterations
  kIterationLimit,
  kInterrupted,  ///< the observer asked for it
};

/// A trained model, in the coordinates of the problem's Phi.
struct Trained {
  Ensemble ensemble;
  Vector s;  ///< N: sample weights of the problem that the certificate speaks of
  Certificate certificate{0, 0};
  Index iterations = 0;          ///< of the ensemble returned
  Index evaluations = 0;         ///< passes over the samples, in all
  double selected = 1;           ///< share of samples with s_i > 0
  double validation_error = -1;  ///< of the ensemble returned; -1: not measured
  Ending ending = Ending::kConverged;
};

/// Where a printed run stands between two iterations.
struct PrintedState {
  Index iteration = 0;  ///< done so far
  Ensemble ensemble;    ///< all weak models in the order they were learned, w >= 0
  Vector s;             ///< N
  ScheduleState schedule;
  SingularPairs next;  ///< the next weak model, where iteration > 0
  Trained best;
  double lowest_error = 2;  ///< on validation classes, so far
  Index evaluations = 0;
};

/// Algorithm 1 to the letter: one weak model an iteration, all weights optimised anew, the samples
/// reselected. Returns the ensemble of the lowest validation error; without validation, the last
/// one.
/// \param from  where it begins; see printed_start
Trained boost(const Problem& train, const EvaluationSet* validation, const BoostConfig& config,
              PrintedState from, Observer& observer);

/// The beginning of a printed run.
/// \param s  N, sample weights to start from; without selection of samples they stay
PrintedState printed_start(const Problem& train, Vector s);

/// Where a refined run stands between two iterations.
struct RefinedState {
  Index iteration = 0;  ///< done so far
  Ensemble ensemble;    ///< may be empty (k = 0, U m x 0, V p x 0)
  Vector s;             ///< N
  ScheduleState schedule;
  Index evaluations = 0;
  double strictness = 1;     ///< of the tolerance near the end
  Index schedule_steps = 0;  ///< that letting samples in takes, in all; 0: none to let in
  double progress = 0;       ///< told so far
};

/// The same problem with weak models that move: blocks of singular pairs, joint refinement,
/// recompression, the samples reselected. Ends when the certified relative gap is under config.gap.
/// \param features  of train.X: the same for every nu and beta
/// \param from      where it begins; see fresh_start and warm_start
Trained boost_refined(const Problem& train, const FeatureSpectrum& features,
                      const BoostConfig& config, RefinedState from, Observer& observer);

/// The beginning of a run that knows nothing: s = 1, no weak models.
RefinedState fresh_start(const Problem& problem, const BoostConfig& config);

/// The beginning of a run near one that has ended: the final share is let in at once.
RefinedState warm_start(const Trained& near, const BoostConfig& config);

/// Share of samples that take part.
double selected_share(const Vector& s);

}  // namespace bzscr
