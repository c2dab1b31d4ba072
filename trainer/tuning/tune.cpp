#include "tuning/tune.h"

#include "boost/validation_error.h"
#include "core/refinement.h"

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

constexpr Index kMostNus = 10;      // half decades: from nu_max down to a hundred thousandth of it
constexpr Index kRisesToStop = 2;

/// A way of holding out classes, with the solution that starts the next nu.
struct Fold {
  SplitProblem split;
  Validation validation;
};

std::vector<Fold> make_folds(const Dataset& data, const Matrix& Delta, const TuningConfig& config) {
  std::vector<Fold> folds;
  for (const ClassSplit& classes : validation_splits(data, config.folds, config.seed)) {
    Fold fold{split_problem(data, Delta, classes, config.scalings), {}};
    fold.validation = validation_of(data, fold.split, config.scalings);
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

}  // namespace

std::vector<double> beta_grid() { return {0, 0.1, 0.4, 1}; }

Tuned tune(const Dataset& data, const Matrix& Delta, const TuningConfig& config, TuningObserver& observer) {
  const std::vector<Fold> folds = make_folds(data, Delta, config);
  const std::vector<double> betas = config.beta ? std::vector<double>{*config.beta} : beta_grid();
  const std::vector<double> nus = config.nu ? std::vector<double>{*config.nu} : nu_grid(largest_nu(folds));
  const auto at_most = static_cast<Index>(betas.size() * nus.size());
  Quiet quiet(observer);
  Tuned tuned;
  Index passed = 0;

  for (const double beta : betas) {
    std::vector<Start> starts;
    for (const Fold& fold : folds) starts.push_back(fresh_start(fold.split.problem));
    GridPoint best_on_path;
    Index rises = 0;
    Index place = 0;
    for (; place < static_cast<Index>(nus.size()) && rises < kRisesToStop; ++place) {
      GridPoint point{nus[static_cast<std::size_t>(place)], beta, 0, 0, 0};
      Trained trained;
      for (std::size_t f = 0; f < folds.size(); ++f) {
        BoostConfig one = config.boost;
        one.nu = point.nu;
        one.beta = beta;
        trained = boost_refined(folds[f].split.problem, one, starts[f], quiet);
        if (trained.ending == Ending::kInterrupted) {
          tuned.interrupted = true;
          return tuned;
        }
        starts[f] = {trained.s, trained.ensemble, trained.ensemble.w.size() > 0};
        point.validation_error += validation_error(folds[f].validation, trained.ensemble) / static_cast<double>(folds.size());
        point.weak_models = trained.ensemble.w.size();
        point.evaluations += trained.evaluations;
      }
      if (tuned.tried.empty() || better(point, tuned.best)) {
        tuned.best = point;
        tuned.split = folds.back().split;
        tuned.trained = trained;
      }
      rises = place > 0 && point.validation_error > best_on_path.validation_error ? rises + 1 : 0;
      if (place == 0 || better(point, best_on_path)) best_on_path = point;
      tuned.tried.push_back(point);
      observer.grid_point(point, ++passed, at_most);
    }
    passed += static_cast<Index>(nus.size()) - place;  // what the path was spared
  }
  return tuned;
}

}  // namespace bzscr
