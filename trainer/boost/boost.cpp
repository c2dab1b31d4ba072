#include "boost/boost.h"

#include "boost/pace.h"
#include "boost/validation_error.h"
#include "core/refinement.h"
#include "core/weight_solver.h"

#include <algorithm>

namespace bzscr {
namespace {

/// Weak models in the order they were learned, with what each makes of samples and classes.
class GrowingEnsemble {
 public:
  GrowingEnsemble(const Sweep<float>& sweep, Index limit) : sweep_(sweep), limit_(limit) {}

  void append(const SingularPairs& h) {
    const Index k = size();
    if (k == P_.cols()) {
      const Index room = std::min(limit_, std::max<Index>(16, 2 * k));
      P_.conservativeResize(sweep_.problem().samples(), room);
    }
    P_.col(k) = sweep_.project(h.U.leftCols(1)).col(0);
    ensemble_ = bzscr::append(ensemble_, h.U.leftCols(1), h.V.leftCols(1), 0.0);
  }

  Index optimise_weights(const Vector& s, double price) {
    const Weights solved = solve_weights<float>(sweep_, P_.leftCols(size()), sweep_.problem().Phi * ensemble_.V,
                                                ensemble_.w, s, price);
    ensemble_.w = solved.w;
    return solved.evaluations;
  }

  /// The weak models in use.
  Ensemble active() const {
    std::vector<Index> in_use;
    for (Index j = 0; j < size(); ++j)
      if (ensemble_.w[j] > 0) in_use.push_back(j);
    return {ensemble_.U(Eigen::all, in_use), ensemble_.V(Eigen::all, in_use), ensemble_.w(in_use)};
  }

  Index size() const { return ensemble_.w.size(); }

 private:
  const Sweep<float>& sweep_;
  Index limit_;
  Ensemble ensemble_;
  Eigen::MatrixXf P_;  // N x (at least size()): X U
};

}  // namespace

double selected_share(const Vector& s) {
  return s.size() ? static_cast<double>((s.array() > 0).count()) / static_cast<double>(s.size()) : 0;
}

Trained boost(const Problem& train, const Validation* validation, const BoostConfig& config, Vector s, Observer& observer) {
  const double price = config.nu * static_cast<double>(train.samples());
  const Sweep<float> sweep(train, config.beta);
  GrowingEnsemble model(sweep, config.max_iterations);
  SharePace pace(config);
  Trained best;
  Index evaluations = 0;
  double lowest_error = 2;

  SingularPairs h = leading_pairs(sweep.first_ascent(s), 1);  // the paper starts from Q = s 1^T
  for (Index t = 1;; ++t) {
    // Asked before w moves. Once w solves Eq. (9) the sum equals nu for every weak model in use, so
    // with the new Q, as the listing has it, the test would hold on the first pass.
    const double violation = h.sigma[0];
    if (violation < price * (1 + config.tolerance) && t > 1) return best;

    model.append(h);                                       // Eq. (12), (15)
    evaluations += model.optimise_weights(s, price) + 2;   // Eq. (9)
    const Ensemble active = model.active();
    const Factors at = factors(active);
    Inspection now = inspect(sweep, at.A, at.B, active.w.sum(), s, price);  // Q of Eq. (11) and its G
    h = std::move(now.leading);

    const double error = validation ? validation_error(*validation, active) : -1;
    const bool is_best = !validation || error < lowest_error;
    if (is_best) {
      lowest_error = error;
      best = {active, s, now.certificate, t, evaluations, selected_share(s), error, Ending::kConverged};
    }
    best.evaluations = evaluations;
    observer.iteration({t, violation, now.certificate.objective, now.certificate.lower_bound, now.certificate.relative_gap(),
                        active.w.size(), selected_share(s), error, evaluations});
    observer.progress(static_cast<double>(t) / static_cast<double>(config.max_iterations));

    if (config.select_samples) s = pace.next(now.losses);  // Eq. (8), annealed
    if (validation && t >= config.min_iterations && error > lowest_error) best.ending = Ending::kEarlyStopping;
    else if (t == config.max_iterations) best.ending = Ending::kIterationLimit;
    else if (observer.stop_requested()) best.ending = Ending::kInterrupted;
    else continue;
    return best;
  }
}

}  // namespace bzscr
