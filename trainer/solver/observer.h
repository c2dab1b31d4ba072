#pragma once

#include "types/ensemble.h"
#include "types/linalg.h"

namespace bzscr {

/// What one iteration came to. Losses are sums over samples under the sample weights of the
/// iteration.
struct Iteration {
  Index number = 0;        ///< t, from 1
  double violation = 0;    ///< sigma_1(G): most that a weak model asks; the dual constraint is nu N
  double objective = 0;    ///< sum_i s_i l_i + nu N sum_j w_j
  double lower_bound = 0;  ///< certified, of the same problem
  double relative_gap = 0;       ///< (objective - lower_bound) / objective
  Index weak_models = 0;         ///< with w_j > 0
  double selected = 1;           ///< share of samples with s_i > 0
  double validation_error = -1;  ///< 1 - per-class accuracy on held-out classes; -1: not measured
  Index evaluations = 0;         ///< passes over the samples, so far
};

struct RefinedState;
struct PrintedState;

/// Told of each iteration, and how far the run is; asked whether to go on.
class Observer {
 public:
  virtual ~Observer() = default;
  /// \param ensemble  the weak models that it speaks of, V in the coordinates of the problem's Phi
  virtual void iteration(const Iteration&, const Ensemble& /*ensemble*/) {}
  /// A guess of the part of the run that is behind, 0 to 1; never falls within a run.
  virtual void progress(double) {}
  /// Where the run stands before each iteration: a run that begins from a copy of it ends with the
  /// same bytes.
  virtual void state(const RefinedState&) {}
  virtual void state(const PrintedState&) {}
  /// Asked between steps; true ends the run with the best model so far.
  virtual bool stop_requested() const { return false; }
};

}  // namespace bzscr
