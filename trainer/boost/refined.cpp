#include "boost/boost.h"

#include "boost/pace.h"
#include "core/refinement.h"

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

constexpr Index kPairsPerIteration = 16;
constexpr double kSeedWeight = 1e-3;   // of a new pair, relative to the largest weight
constexpr double kDrop = 1e-5;         // triplets below this, relative to the largest, are rounding
constexpr double kFloatGap = 2e-5;     // gaps below this are under the noise of single precision

template <class Scalar>
class Refinement {
 public:
  Refinement(const Problem& train, const BoostConfig& config, Start start, Observer& observer)
      : config_(config), observer_(observer), sweep_(train, config.beta), pace_(config),
        price_(config.nu * static_cast<double>(train.samples())), ensemble_(std::move(start.ensemble)), s_(std::move(start.s)) {
    if (start.annealed) pace_.skip_annealing();
  }

  Trained run() {
    Ending ending = Ending::kConverged;
    Index t = 1;
    Inspection now = look();
    for (;; ++t) {
      if (settled() && now.certificate.relative_gap() <= config_.gap && confirmed(now)) break;
      if (observer_.stop_requested()) { ending = Ending::kInterrupted; break; }
      if (t > config_.max_iterations) { ending = Ending::kIterationLimit; break; }
      ensemble_ = improve(now);
      if (config_.select_samples) s_ = pace_.next(losses());
      now = look();
      observer_.iteration({t, now.leading.sigma[0], now.certificate.objective, now.certificate.lower_bound,
                           now.certificate.relative_gap(), ensemble_.w.size(), selected_share(s_), -1, evaluations_});
    }
    return {ensemble_, s_, now.certificate, t - 1, evaluations_, selected_share(s_), -1, ending};
  }

 private:
  bool settled() const { return !config_.select_samples || pace_.settled(); }

  Inspection look() {
    evaluations_ += 2;
    const Factors at = factors(ensemble_);
    return inspect(sweep_, at.A, at.B, ensemble_.w.sum(), s_, price_);
  }

  Vector losses() {
    evaluations_ += 1;
    const Factors at = factors(ensemble_);
    return sweep_.losses(at.A, at.B);
  }

  // The certificate that is reported is computed in double.
  bool confirmed(Inspection& now) {
    if constexpr (std::is_same_v<Scalar, double>) return true;
    evaluations_ += 2;
    const Factors at = factors(ensemble_);
    const Sweep<double> exact(sweep_.problem(), config_.beta);
    now = inspect(exact, at.A, at.B, ensemble_.w.sum(), s_, price_);
    return now.certificate.relative_gap() <= config_.gap;
  }

  // Adds the weak models that violate the dual constraint most, and lets all of them move.
  Ensemble improve(const Inspection& now) {
    const SingularPairs missing = leading_pairs(beyond(ensemble_, now.G), kPairsPerIteration);
    const Index wanted = (missing.sigma.array() > price_).count();
    const double seed = kSeedWeight * (ensemble_.w.size() ? ensemble_.w.maxCoeff() : 1.0);
    Factors at = factors(append(ensemble_, missing.U.leftCols(wanted), missing.V.leftCols(wanted), seed));
    if (at.A.cols() == 0) return ensemble_;  // the price is too high for any weak model
    LbfgsOptions options;
    options.max_evaluations = settled() ? 150 : 20;
    options.tolerance = gradient_tolerance(now.certificate.objective);
    evaluations_ += refine(sweep_, at, s_, price_, options, [&] { return observer_.stop_requested(); }).evaluations;
    return recompress(at, kDrop);
  }

  // The certificate pays price |W| / P for each per cent by which sigma_1 exceeds the price, and sigma_1
  // is off by about the gradient over the length of the factors. Halved each time that was not enough.
  double gradient_tolerance(double objective) {
    const double weight = std::max(ensemble_.w.sum(), 1e-3 * objective / price_);
    strictness_ *= 0.5;
    return strictness_ * config_.gap * objective / std::sqrt(2 * weight);
  }

  const BoostConfig& config_;
  Observer& observer_;
  Sweep<Scalar> sweep_;
  SharePace pace_;
  double price_;
  Ensemble ensemble_;
  Vector s_;
  Index evaluations_ = 0;
  double strictness_ = 1;
};

}  // namespace

Start fresh_start(const Problem& problem) {
  return {Vector::Ones(problem.samples()),
          {Matrix(problem.X.dimension(), 0), Matrix(problem.Phi.cols(), 0), Vector(0)},
          false};
}

Trained boost_refined(const Problem& train, const BoostConfig& config, Start start, Observer& observer) {
  if (config.gap < kFloatGap) return Refinement<double>(train, config, std::move(start), observer).run();
  return Refinement<float>(train, config, std::move(start), observer).run();
}

}  // namespace bzscr
