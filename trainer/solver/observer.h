#pragma once

#include "types/ensemble.h"
#include "types/linalg.h"

namespace bzscr {

/// The result of one iteration. Objective and bound are sums over samples with the sample weights
/// of the iteration.
struct Iteration {
  Index number = 0;              ///< t, from 1
  double violation = 0;          ///< sigma_1(G); the dual constraint is sigma_1(G) <= nu N
  double objective = 0;          ///< sum_i s_i l_i + nu N sum_j w_j
  double lower_bound = 0;        ///< certified lower bound of the optimal objective
  double relative_gap = 0;       ///< (objective - lower_bound) / objective
  Index weak_models = 0;         ///< with w_j > 0
  double selected = 1;           ///< share of samples with s_i > 0
  double validation_error = -1;  ///< 1 - per-class accuracy on held-out classes; -1: not measured
  Index evaluations = 0;         ///< passes over the samples, so far
};

struct RefinedState;
struct PrintedState;

/// The callbacks of a solver: for iterations, progress and states, and the stop condition.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called after each iteration.
  /// \param ensemble  its weak models and those of the base, with V in the coordinates of the
  ///   problem's Phi
  virtual void iteration(const Iteration&, const Ensemble& /*ensemble*/) {}
  /// An estimate of the finished fraction of the run, in [0, 1]; it never decreases within a run.
  virtual void progress(double) {}
  /// The state before each iteration. A run that starts from a copy of it gives the same bytes.
  virtual void state(const RefinedState&) {}
  virtual void state(const PrintedState&) {}
  /// Called between steps; true ends the run with the best model so far.
  virtual bool stop_requested() const { return false; }
};

}  // namespace bzscr
