#include "tuning/tune.h"

#include "boost/validation_error.h"
#include "core/refinement.h"
#include "distributed/processes.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace bzscr {
namespace {

constexpr Index kMostNus = 10;      // half decades: from nu_max down to a hundred thousandth of it
constexpr Index kRisesToStop = 2;
constexpr double kTuningGap = 5e-3;  // certified; a tighter one does not change which class scores highest

/// A way of holding out classes, with the solution that starts the next nu.
struct Fold {
  SplitProblem split;
  Validation validation;
  FeatureSpectrum features;
};

std::vector<Fold> make_folds(const Dataset& data, const Matrix& Delta, const TuningConfig& config) {
  std::vector<Fold> folds;
  for (const ClassSplit& classes : validation_splits(data, config.folds, config.seed)) {
    Fold fold{split_problem(data, Delta, classes, config.scalings), {}, {}};
    fold.validation = validation_of(data, fold.split, config.scalings);
    fold.features = feature_spectrum(fold.split.problem.X);
    folds.push_back(std::move(fold));
  }
  return folds;
}

// The nu at which the first weak model appears, over all folds.
double largest_nu(const std::vector<Fold>& folds) {
  double largest = 0;
  for (const Fold& fold : folds) {
    const Problem& problem = fold.split.problem;
    const Sweep<float> sweep(problem, 0);
    const Factors none{Matrix(problem.X.dimension(), 0), Matrix(problem.Phi.cols(), 0)};
    const auto start = sweep.ascent(none.A, none.B, Vector::Ones(problem.samples()));
    largest = std::max(largest, leading_pairs(start.G, 1).sigma[0] / static_cast<double>(problem.samples()));
  }
  return largest;
}

// Half decades, 1 and 3 times powers of ten, falling from below `largest`.
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

/// Lets the tuning's observer interrupt a run without hearing of its iterations.
struct Quiet : Observer {
  explicit Quiet(const Observer& outer) : outer_(outer) {}
  bool stop_requested() const override { return outer_.stop_requested(); }
  const Observer& outer_;
};

bool ended(const PathState& path, const std::vector<double>& nus) {
  return path.points.size() == nus.size() || path.rises == kRisesToStop;
}

/// The next nu of one beta, from the solutions of the one before. False where it was interrupted.
bool step(const std::vector<Fold>& folds, double nu, BoostConfig config, PathState& path, Observer& observer) {
  config.gap = std::max(config.gap, kTuningGap);
  config.nu = nu;
  GridPoint point{nu, config.beta, 0, 0, 0};
  std::vector<RefinedState> starts;
  Trained trained;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Problem& problem = folds[f].split.problem;
    trained = boost_refined(problem, folds[f].features, config,
                            path.points.empty() ? fresh_start(problem, config) : path.starts[f], observer);
    if (trained.ending == Ending::kInterrupted) return false;
    starts.push_back(warm_start(trained, config));
    point.validation_error += validation_error(folds[f].validation, trained.ensemble) / static_cast<double>(folds.size());
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

}  // namespace

std::vector<double> beta_grid() { return {0, 0.1, 0.4, 1}; }

Tuned tune(const Dataset& data, const Matrix& Delta, const TuningConfig& config, TuningObserver& observer, TuningState paths) {
  const std::vector<Fold> folds = make_folds(data, Delta, config);
  const std::vector<double> betas = config.beta ? std::vector<double>{*config.beta} : beta_grid();
  const std::vector<double> nus = config.nu ? std::vector<double>{*config.nu} : nu_grid(largest_nu(folds));
  paths.resize(betas.size());
  const auto grid = static_cast<Index>(betas.size() * nus.size());
  // Points that are done, or that an ended path was spared.
  const auto done = [&] {
    Index sum = 0;
    for (const PathState& path : paths) sum += static_cast<Index>(ended(path, nus) ? nus.size() : path.points.size());
    return sum;
  };
  bool interrupted = false;
  std::exception_ptr failure;

  // Paths are independent: each on its share of the threads. Several processes take them one by one, all together.
  const int threads = omp_get_max_threads();
  const int side_by_side = process_count() > 1 ? 1 : std::min(threads, static_cast<int>(betas.size()));
  omp_set_max_active_levels(omp_get_active_level() + 2);  // paths, and blocks of samples within each
#pragma omp parallel for schedule(dynamic, 1) num_threads(side_by_side)
  for (std::size_t b = 0; b < betas.size(); ++b) try {
    omp_set_num_threads(std::max(1, threads / side_by_side));
    Quiet quiet(observer);
    BoostConfig boost = config.boost;
    boost.beta = betas[b];
    PathState path = paths[b];
    while (!ended(path, nus)) {
      const bool stepped = step(folds, nus[path.points.size()], boost, path, quiet);
#pragma omp critical(bzscr_tuning)
      {
        interrupted |= !stepped;
        paths[b] = path;
        if (stepped) {
          observer.grid_point(path.points.back(), done(), grid);
          observer.state(paths);
        }
      }
      if (!stepped) break;
    }
  } catch (...) {  // none may leave a parallel region
#pragma omp critical(bzscr_tuning)
    failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);

  Tuned tuned;
  tuned.interrupted = interrupted;
  for (PathState& path : paths) {
    if (!path.points.empty() && (tuned.tried.empty() || better(path.best, tuned.best))) {
      tuned.best = path.best;
      tuned.trained = std::move(path.trained);
    }
    tuned.tried.insert(tuned.tried.end(), path.points.begin(), path.points.end());
  }
  tuned.split = folds.back().split;
  return tuned;
}

}  // namespace bzscr
