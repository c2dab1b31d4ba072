#pragma once

#include "solver/boost.h"
#include "tuning/folds.h"

#include <optional>
#include <vector>

namespace bzscr {

struct TuningConfig {
  BoostConfig boost;           ///< its nu and beta are ignored
  std::optional<double> nu;    ///< given: only beta is chosen
  std::optional<double> beta;  ///< given: only nu is chosen
  Scalings scalings;
  Index folds = 1;  ///< class folds to draw if the partition has none; >= 1
  std::uint64_t seed = 1;
  Execution execution{};
};

/// A point of the grid, and the validation error of the model trained with its nu and beta.
struct GridPoint {
  double nu = 0, beta = 0;      ///< per sample
  double validation_error = 1;  ///< 1 - per-class accuracy, averaged over the folds
  Index weak_models = 0;        ///< of the last fold
  Index evaluations = 0;        ///< of all folds
};

/// The state of the search over nu for one beta.
struct PathState {
  std::vector<GridPoint> points;
  GridPoint best;
  Trained trained;                   ///< model of the best point, on the last fold
  std::vector<RefinedState> starts;  ///< start for the next nu, one per fold
  Index rises = 0;                   ///< consecutive points with an error above the best
};
/// The search of each beta.
using TuningState = std::vector<PathState>;

struct Tuned {
  GridPoint best;
  std::vector<GridPoint> tried;  ///< by ascending beta, then descending nu
  bool interrupted = false;
  // The best model so far and its split, for a run that is stopped early.
  SplitProblem split;
  Trained trained;
};

/// The callbacks of tuning. They are called one at a time, except stop_requested(), which several
/// threads call at once.
class TuningObserver : public Observer {
 public:
  /// Called after each point; `at_most` is the size of the grid.
  virtual void grid_point(const GridPoint&, Index done, Index at_most) = 0;
  /// The state after each point. Tuning that starts from a copy of it makes the same choice.
  using Observer::state;
  virtual void state(const TuningState&) {}
};

/// The betas to try: 0, and values up to those that increased the error in experiments.
std::vector<double> beta_grid();

/// Chooses nu and beta on held-out classes. For each beta, nu decreases from nu_max by half
/// decades, each solution being the start of the next, until the validation error has exceeded its
/// minimum at two consecutive points. The searches of the betas run in parallel. The point with the
/// lowest error is chosen; of equal ones that with the larger nu, then the smaller beta (a smaller
/// model).
/// \param from  a state that the observer received; empty: from the beginning
Tuned tune(const Dataset& data, const Partition& partition, const Matrix& Delta,
           const TuningConfig& config, TuningObserver& observer, TuningState from = TuningState());

}  // namespace bzscr
