#pragma once

#include "solver/boost.h"
#include "tuning/folds.h"

#include <optional>
#include <vector>

namespace bzscr {

struct TuningConfig {
  BoostConfig boost;           ///< nu and beta in it are replaced
  std::optional<double> nu;    ///< given: only beta is chosen
  std::optional<double> beta;  ///< given: only nu is chosen
  Scalings scalings;
  Index folds = 1;  ///< class folds drawn where the data set names no validation classes
  std::uint64_t seed = 1;
  Execution execution{};
};

/// One place of the grid, and how the model trained there did on the held-out classes.
struct GridPoint {
  double nu = 0, beta = 0;      ///< per sample
  double validation_error = 1;  ///< 1 - per-class accuracy, averaged over the folds
  Index weak_models = 0;        ///< of the last fold
  Index evaluations = 0;        ///< of all folds
};

/// How far the path of one beta has come.
struct PathState {
  std::vector<GridPoint> points;
  GridPoint best;
  Trained trained;                   ///< at the best, on the last fold
  std::vector<RefinedState> starts;  ///< of the next nu, one a fold
  Index rises = 0;                   ///< points in a row above the best
};
/// A path for each beta.
using TuningState = std::vector<PathState>;

struct Tuned {
  GridPoint best;
  std::vector<GridPoint> tried;  ///< in the order of beta, then falling nu
  bool interrupted = false;
  // The best model so far and the split it was trained on, for whoever had to stop early.
  SplitProblem split;
  Trained trained;
};

/// Told of each point as it is done, one call at a time, and asked whether to go on (by several
/// threads).
class TuningObserver : public Observer {
 public:
  virtual void grid_point(const GridPoint&, Index done, Index at_most) = 0;
  /// How far it has come, after each point: tuning that begins from a copy makes the same choice.
  using Observer::state;
  virtual void state(const TuningState&) {}
};

/// The betas tried: none, and up to the sizes that helped before they hurt.
std::vector<double> beta_grid();

/// nu and beta chosen on held-out classes: for each beta, nu falls from where the first weak model
/// appears, by half decades, each solution starting the next, until the validation error has risen
/// twice. Paths run side by side on the threads there are. The lowest error wins; among equals the
/// larger nu, then the smaller beta (a smaller model).
/// \param from  where it begins; empty: at the beginning
Tuned tune(const Dataset& data, const Partition& partition, const Matrix& Delta,
           const TuningConfig& config, TuningObserver& observer, TuningState from = TuningState());

}  // namespace bzscr
