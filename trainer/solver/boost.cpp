#include "solver/boost.h"

#include "core/reducer.h"
#include "core/refinement.h"
#include "core/weight_solver.h"
#include "solver/self_paced_schedule.h"
#include "solver/validation_error.h"

#include <algorithm>

namespace bzscr {
namespace {

/// The weak models so far, with their projections X U of the samples.
class GrowingEnsemble {
 public:
  GrowingEnsemble(const Sweep<float>& sweep, Ensemble& ensemble, Index limit)
      : sweep_(sweep), ensemble_(ensemble), limit_(limit) {
    for (Index k = 0; k < size(); ++k) project(k);
  }

  void append(const SingularPairs& h) {
    ensemble_ = bzscr::append(ensemble_, h.U.leftCols(1), h.V.leftCols(1), 0.0);
    project(size() - 1);
  }

  Index optimise_weights(const Vector& s, double regularisation) {
    const Weights solved =
        solve_weights<float>(sweep_, P_.leftCols(size()), sweep_.problem().Phi * ensemble_.V,
                             ensemble_.w, s, regularisation);
    ensemble_.w = solved.w;
    return solved.evaluations;
  }

  /// The weak models with w > 0.
  Ensemble active() const {
    std::vector<Index> in_use;
    for (Index j = 0; j < size(); ++j)
      if (ensemble_.w[j] > 0) in_use.push_back(j);
    return {ensemble_.U(Eigen::all, in_use), ensemble_.V(Eigen::all, in_use), ensemble_.w(in_use)};
  }

  Index size() const { return ensemble_.w.size(); }

 private:
  void project(Index k) {
    if (k >= P_.cols()) {
      const Index room = std::min(limit_, std::max<Index>(16, 2 * k));
      P_.conservativeResize(sweep_.problem().samples(), std::max(room, k + 1));
    }
    // One column per call: its bits do not depend on the other weak models.
    P_.col(k) = sweep_.project(ensemble_.U.col(k)).col(0);
  }

  const Sweep<float>& sweep_;
  Ensemble& ensemble_;
  Index limit_;
  Eigen::MatrixXf P_;  // N x (at least size()): X U
};

}  // namespace

double selected_share(const Vector& s) {
  return s.size() ? static_cast<double>((s.array() > 0).count()) / static_cast<double>(s.size())
                  : 0;
}

PrintedState printed_start(const Problem& train, Vector s) {
  PrintedState start;
  start.ensemble = {Matrix(train.X.dimension(), 0), Matrix(train.Phi.cols(), 0), Vector(0)};
  start.s = std::move(s);
  return start;
}

Trained boost(const Problem& train, const EvaluationSet* validation, const BoostConfig& config,
              PrintedState at, Observer& observer) {
  const double regularisation = config.nu * static_cast<double>(train.samples());
  const Sweep<float> sweep(train, config.beta);
  GrowingEnsemble model(sweep, at.ensemble, config.max_iterations);
  SelfPacedSchedule schedule(config, at.schedule);

  if (at.iteration == 0)
    at.next = leading_pairs(sweep.initial_gradient(at.s), 1);  // the paper starts from Q = s 1^T
  for (;;) {
    observer.state(at);
    const Index t = at.iteration + 1;
    // A departure from the listing: the test comes before w is updated. Once w solves Eq. (9), the
    // sum equals nu for every weak model in use, so with the new Q the test would always be true.
    const double violation = at.next.sigma[0];
    if (violation < regularisation * (1 + config.tolerance) && t > 1) return at.best;

    model.append(at.next);                                               // Eq. (12), (15)
    at.evaluations += model.optimise_weights(at.s, regularisation) + 2;  // Eq. (9)
    const Ensemble active = model.active();
    const Factors factors_now = factors(active);
    // Q of Eq. (11) and its G.
    Inspection now =
        inspect(sweep, factors_now.A, factors_now.B, active.w.sum(), at.s, regularisation);
    at.next = std::move(now.leading);

    const double error = validation ? validation_error(*validation, active, config.score) : -1;
    const bool is_best = !validation || error < at.lowest_error;
    if (is_best) {
      at.lowest_error = error;
      at.best = {active,          at.s,
                 now.certificate, t,
                 at.evaluations,  selected_share(at.s),
                 error,           Ending::kConverged};
    }
    at.best.evaluations = at.evaluations;
    observer.iteration({t, violation, now.certificate.objective, now.certificate.lower_bound,
                        now.certificate.relative_gap(), active.w.size(), selected_share(at.s),
                        error, at.evaluations},
                       active);
    observer.progress(static_cast<double>(t) / static_cast<double>(config.max_iterations));

    if (config.select_samples) {
      allgather_samples(train.X.execution, now.losses, train.samples());
      at.s = schedule.next(now.losses);  // Eq. (8), annealed
    }
    at.iteration = t;
    if (validation && t >= config.min_iterations && error > at.lowest_error)
      at.best.ending = Ending::kEarlyStopping;
    else if (t == config.max_iterations)
      at.best.ending = Ending::kIterationLimit;
    else if (observer.stop_requested())
      at.best.ending = Ending::kInterrupted;
    else
      continue;
    return at.best;
  }
}

}  // namespace bzscr
