#include "tuning/tune.h"

#include "core/reducer.h"
#include "core/refinement.h"
#include "core/side_by_side.h"
#include "solver/validation_error.h"
#include "tuning/state_json.h"
#include "tuning/training_split.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>

namespace bzscr {
namespace {

constexpr Index kMostNus = 10;  // half decades, from nu_max down to 1e-5 nu_max
constexpr Index kRisesToStop = 2;
constexpr double kTuningGap = 5e-3;  // certified; a smaller one does not change the predictions

/// A split with held-out validation classes.
struct Fold {
  SplitProblem split;
  EvaluationSet validation;
  FeatureSpectrum features;
};

std::vector<Fold> make_folds(const Dataset& data, const Partition& partition, const Matrix& Delta,
                             const TuningConfig& config) {
  std::vector<Fold> folds;
  for (const ClassSplit& classes : validation_splits(data, partition, config.folds, config.seed)) {
    Fold fold{training_split(data, partition, Delta, classes, config.scalings, config.boost,
                             config.execution),
              {},
              {}};
    fold.validation = unseen_evaluation_set(data, partition, fold.split);
    fold.features = feature_spectrum(fold.split.problem.X);
    folds.push_back(std::move(fold));
  }
  return folds;
}

// nu_max, the maximum over the folds: for larger nu the optimum is the empty model.
double largest_nu(const std::vector<Fold>& folds) {
  double largest = 0;
  for (const Fold& fold : folds) {
    const Problem& problem = fold.split.problem;
    const Sweep<float> sweep(problem, 0);
    const Factors none{Matrix(problem.X.dimension(), 0), Matrix(problem.Phi.cols(), 0)};
    const auto start = sweep.negative_gradient(none.A, none.B, Vector::Ones(problem.samples()));
    largest = std::max(largest,
                       leading_pairs(start.G, 1).sigma[0] / static_cast<double>(problem.samples()));
  }
  return largest;
}

// Half decades (1 and 3 times powers of ten) below `largest`, descending.
std::vector<double> nu_grid(double largest) {
  std::vector<double> grid;
  int half_decades = static_cast<int>(std::floor(2 * std::log10(largest)));
  for (Index i = 0; i < kMostNus; ++i, --half_decades) {
    const int decade = static_cast<int>(std::floor(half_decades / 2.0));
    grid.push_back(std::stod((half_decades % 2 == 0 ? "1e" : "3e") + std::to_string(decade)));
  }
  return grid;
}

bool better(const GridPoint& a, const GridPoint& b) {
  if (a.validation_error != b.validation_error) return a.validation_error < b.validation_error;
  if (a.nu != b.nu) return a.nu > b.nu;
  return a.beta < b.beta;
}

/// Forwards the stop condition of the tuning's observer, and nothing else.
struct Quiet : Observer {
  explicit Quiet(const Observer& outer) : outer_(outer) {}
  bool stop_requested() const override { return outer_.stop_requested(); }
  const Observer& outer_;
};

/// The stop condition while ranks work in groups: the one agreed on by the group.
struct GroupStop : Observer {
  explicit GroupStop(const Communicator& group) : group_(group) {}
  bool stop_requested() const override { return group_.stop_agreed(); }
  const Communicator& group_;
};

/// The data common to the paths of all betas.
struct Grid {
  std::vector<Fold> folds;
  std::vector<double> betas, nus;
  BoostConfig boost;

  bool ended(const PathState& path) const {
    return path.points.size() == nus.size() || path.rises == kRisesToStop;
  }
  Index size() const { return static_cast<Index>(betas.size() * nus.size()); }
  /// The number of points that are done or skipped because their path has ended.
  Index done(const TuningState& paths) const {
    Index sum = 0;
    for (const PathState& path : paths)
      sum += static_cast<Index>(ended(path) ? nus.size() : path.points.size());
    return sum;
  }
};

/// Trains with the next nu of one beta, starting from the solutions of the previous nu. Returns
/// false if it was interrupted.
bool step(const std::vector<Fold>& folds, double nu, BoostConfig config, PathState& path,
          Observer& observer) {
  config.gap = std::max(config.gap, kTuningGap);
  config.nu = nu;
  GridPoint point{nu, config.beta, 0, 0, 0};
  std::vector<RefinedState> starts;
  Trained trained;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Problem& problem = folds[f].split.problem;
    trained = boost_refined(problem, folds[f].features, config,
                            path.points.empty() ? fresh_start(problem, config) : path.starts[f],
                            observer);
    if (trained.ending == Ending::kInterrupted) return false;
    starts.push_back(warm_start(trained, config));
    point.validation_error +=
        validation_error(folds[f].validation, with_base(problem, trained.ensemble), config.score) /
        static_cast<double>(folds.size());
    point.weak_models = trained.ensemble.w.size();
    point.evaluations += trained.evaluations;
  }
  const bool first = path.points.empty();
  path.rises = !first && point.validation_error > path.best.validation_error ? path.rises + 1 : 0;
  if (first || better(point, path.best)) {
    path.best = point;
    path.trained = std::move(trained);
  }
  path.starts = std::move(starts);
  path.points.push_back(point);
  return true;
}

/// Sets the threads and ranks of all passes of the folds.
void run_on(std::vector<Fold>& folds, int threads, Communicator* communicator) {
  for (Fold& fold : folds)
    for (Execution* each : {&fold.split.problem.X.execution, &fold.validation.X.execution,
                            &fold.features.execution}) {
      each->threads = threads;
      each->communicator = communicator;
    }
}

/// Advances the paths `which` by at most `most_steps` steps, in parallel on equal shares of the
/// threads. Calls `stepped` after each step, one call at a time. Returns false if interrupted.
bool follow(Grid& grid, const std::vector<std::size_t>& which, std::size_t most_steps,
            TuningState& paths, const Observer& observer,
            const std::function<void(const GridPoint&)>& stepped) {
  bool interrupted = false;
  std::mutex mutex;
  // With several ranks only one thread may call MPI, so the paths run one after the other.
  const Execution run = grid.folds.front().split.problem.X.execution;
  const int threads = thread_count(run);
  const int side_by_side = communicator_of(run).size() > 1
                               ? 1
                               : std::max(1, std::min(threads, static_cast<int>(which.size())));
  run_on(grid.folds, std::max(1, threads / side_by_side), run.communicator);
  run_side_by_side(which.size(), side_by_side, [&](std::size_t i) {
    Quiet quiet(observer);
    BoostConfig boost = grid.boost;
    boost.beta = grid.betas[which[i]];
    PathState path = paths[which[i]];
    for (std::size_t steps = 0; steps < most_steps && !grid.ended(path); ++steps) {
      const bool done = step(grid.folds, grid.nus[path.points.size()], boost, path, quiet);
      const std::lock_guard<std::mutex> lock(mutex);
      interrupted |= !done;
      paths[which[i]] = path;
      if (!done) break;
      stepped(path.points.back());
    }
  });
  run_on(grid.folds, run.threads, run.communicator);
  return !interrupted;
}

/// Replaces a path on all ranks by that of rank `from`.
void broadcast_path(const Execution& run, PathState& path, int from) {
  Communicator& communicator = communicator_of(run);
  std::vector<std::uint8_t> bytes;
  if (communicator.rank() == from) bytes = nlohmann::json::to_cbor(nlohmann::json(path));
  const Timer timer(run.counters, &Counters::waiting_seconds);
  communicator.broadcast(bytes, from);
  if (run.counters != nullptr) run.counters->add_message(static_cast<std::int64_t>(bytes.size()));
  if (communicator.rank() != from) path = nlohmann::json::from_cbor(bytes).get<PathState>();
}

/// Advances each path `which` by one step on several ranks, and distributes the new states to all
/// of them. The ranks work in groups, as many as divide both the ranks and the paths evenly, so
/// that no group is idle during a step.
bool follow_in_groups(Grid& grid, const std::vector<std::size_t>& which, TuningState& paths,
                      const std::function<void(const GridPoint&)>& stepped) {
  const Execution run = grid.folds.front().split.problem.X.execution;
  Communicator& all = communicator_of(run);
  const int ranks = all.size(), groups = std::gcd(ranks, static_cast<int>(which.size()));
  const auto group_of = [&](std::size_t path) { return static_cast<int>(path) % groups; };
  std::vector<std::size_t> before;
  for (const std::size_t b : which) before.push_back(paths[b].points.size());
  double interrupted = 0;
  {
    const std::unique_ptr<Communicator> group = all.split(groups);
    const GroupStop watched(*group);
    run_on(grid.folds, run.threads, group.get());
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < which.size(); ++i)
      if (group_of(i) == all.rank() * groups / ranks) own.push_back(which[i]);
    if (!follow(grid, own, 1, paths, watched, [](const GridPoint&) {})) interrupted = 1;
    run_on(grid.folds, run.threads, run.communicator);
  }
  for (std::size_t i = 0; i < which.size(); ++i) {
    PathState& path = paths[which[i]];
    broadcast_path(run, path, group_of(i) * ranks / groups);
    if (path.points.size() > before[i]) stepped(path.points.back());
  }
  allreduce(run, {interrupted});
  return interrupted == 0;
}

}  // namespace

std::vector<double> beta_grid() { return {0, 0.1, 0.4, 1}; }

Tuned tune(const Dataset& data, const Partition& partition, const Matrix& Delta,
           const TuningConfig& config, TuningObserver& observer, TuningState paths) {
  Grid grid{make_folds(data, partition, Delta, config),
            config.beta ? std::vector<double>{*config.beta} : beta_grid(),
            {},
            config.boost};
  grid.nus = config.nu ? std::vector<double>{*config.nu} : nu_grid(largest_nu(grid.folds));
  paths.resize(grid.betas.size());
  const auto tell = [&](const GridPoint& point) {
    observer.grid_point(point, grid.done(paths), grid.size());
    observer.state(paths);
  };
  Tuned tuned;
  while (!tuned.interrupted) {
    std::vector<std::size_t> open;
    for (std::size_t b = 0; b < paths.size(); ++b)
      if (!grid.ended(paths[b])) open.push_back(b);
    if (open.empty()) break;
    tuned.interrupted = communicator_of(config.execution).size() > 1
                            ? !follow_in_groups(grid, open, paths, tell)
                            : !follow(grid, open, grid.nus.size(), paths, observer, tell);
  }

  for (PathState& path : paths) {
    if (!path.points.empty() && (tuned.tried.empty() || better(path.best, tuned.best))) {
      tuned.best = path.best;
      tuned.trained = std::move(path.trained);
    }
    tuned.tried.insert(tuned.tried.end(), path.points.begin(), path.points.end());
  }
  tuned.split = grid.folds.back().split;
  return tuned;
}

}  // namespace bzscr
