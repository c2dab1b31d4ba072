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
  kConverged,      ///< no weak model violates the dual constraint, or the gap is below its limit
  kEarlyStopping,  ///< the validation error was above its minimum after T_ES iterations
  kIterationLimit,
  kInterrupted,  ///< the observer requested a stop
};

/// A trained model, in the coordinates of the problem's Phi.
struct Trained {
  Ensemble ensemble;  ///< of W; the problem's base is not in it, see with_base()
  Vector s;           ///< N: sample weights for which the certificate holds
  Certificate certificate{0, 0};
  Index iterations = 0;          ///< of the ensemble returned
  Index evaluations = 0;         ///< passes over the samples in the whole run
  double selected = 1;           ///< share of samples with s_i > 0
  double validation_error = -1;  ///< of the ensemble returned; -1: not measured
  Ending ending = Ending::kConverged;
};

/// The state of boost() between two iterations.
struct PrintedState {
  Index iteration = 0;  ///< iterations done
  Ensemble ensemble;    ///< all weak models in the order they were learned, w >= 0
  Vector s;             ///< N
  ScheduleState schedule;
  SingularPairs next;  ///< the next weak model; empty for iteration 0
  Trained best;
  double lowest_error = 2;  ///< lowest validation error so far
  Index evaluations = 0;    ///< passes over the samples
};

/// Algorithm 1 as printed: each iteration adds one weak model, optimises all weights and selects
/// samples again. Returns the ensemble with the lowest validation error; without validation, the
/// last one.
/// \param validation  null: none
/// \param from        printed_start(), or a state that the observer received
Trained boost(const Problem& train, const EvaluationSet* validation, const BoostConfig& config,
              PrintedState from, Observer& observer);

/// The state before the first iteration of boost().
/// \param s  N initial sample weights in [0, 1]; they do not change without sample selection
PrintedState printed_start(const Problem& train, Vector s);

/// The state of boost_refined() between two iterations.
struct RefinedState {
  Index iteration = 0;  ///< iterations done
  Ensemble ensemble;    ///< may be empty (k = 0, U m x 0, V p x 0)
  Vector s;             ///< N
  ScheduleState schedule;
  Index evaluations = 0;     ///< passes over the samples
  double strictness = 1;     ///< factor of the gradient tolerance near the end, in (0, 1]
  Index schedule_steps = 0;  ///< steps of the self-paced schedule in the whole run; 0: none
  double progress = 0;       ///< last value reported, in [0, 1]
};

/// Solves the same problem with weak models that are optimised as well: each iteration adds a block
/// of singular pairs, refines all weak models jointly, recompresses them and selects samples again.
/// Ends when the certified relative gap is at most config.gap.
/// \param features  of train.X; it does not depend on nu and beta
/// \param from      fresh_start(), warm_start(), or a state that the observer received
Trained boost_refined(const Problem& train, const FeatureSpectrum& features,
                      const BoostConfig& config, RefinedState from, Observer& observer);

/// A start without a solution: s = 1, no weak models.
RefinedState fresh_start(const Problem& problem, const BoostConfig& config);

/// A start from the solution of a similar problem: the final share of samples is selected at once.
RefinedState warm_start(const Trained& near, const BoostConfig& config);

/// Share of samples with s_i > 0.
double selected_share(const Vector& s);

}  // namespace bzscr
