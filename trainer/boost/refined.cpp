#include "boost/boost.h"

#include "boost/pace.h"
#include "core/curvature.h"
#include "core/refinement.h"

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

constexpr Index kPairsPerIteration = 48;
constexpr Index kMostEvaluations = 150;   // before weak models are looked for again
constexpr Index kEvaluationsPerPace = 10;  // as long as every step lets more samples in
constexpr Index kEvaluationsPerBasis = 20;
constexpr double kSeedWeight = 1e-4;   // of a new pair, relative to the weight that would undo the loss at its slope
constexpr double kDrop = 1e-5;         // triplets below this, relative to the largest, are rounding
constexpr double kFloatGap = 2e-5;     // gaps below this are under the noise of single precision

template <class Scalar>
class Refinement {
 public:
  Refinement(const Problem& train, const FeatureSpectrum& features, const BoostConfig& config, Start start,
             Observer& observer)
      : config_(config), observer_(observer), sweep_(train, config.beta), curvature_(train, features, config.beta),
        pace_(config), price_(config.nu * static_cast<double>(train.samples())), ensemble_(std::move(start.ensemble)), s_(std::move(start.s)) {
    if (start.annealed) pace_.skip_annealing();
    else steps_to_settle_ = std::ceil(std::log(config.final_share / config.initial_share) / std::log(config.share_growth));
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
      ++steps_;
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
    if (now.leading.sigma[0] <= price_ && ensemble_.w.size() == 0) return ensemble_;  // worth no weak model
    if (ensemble_.w.size() == 0) return refined(now, curvature_.first_guess(now.G, s_, price_, kPairsPerIteration));
    const SingularPairs missing = leading_pairs(beyond(ensemble_, now.G), kPairsPerIteration);
    const Index wanted = (missing.sigma.array() > price_).count();
    const double seed = kSeedWeight * now.certificate.objective / now.leading.sigma[0];
    return refined(now, append(ensemble_, missing.U.leftCols(wanted), missing.V.leftCols(wanted), seed));
  }

  // The curvature is looked at again whenever the factors have moved for a while.
  Ensemble refined(const Inspection& now, const Ensemble& from) {
    Factors at = factors(from);
    LbfgsOptions options;
    options.min_iterations = 3;
    options.noise = kSumNoise<Scalar>;
    options.tolerance = gradient_tolerance(now.certificate, std::sqrt(at.A.squaredNorm() + at.B.squaredNorm()));
    // While samples are let in, s stands until w has followed, as printed. Then both move together.
    const bool together = config_.select_samples && pace_.settled();
    const SampleWeights weights = together ? SampleWeights(pace_.pace()) : SampleWeights(s_);
    double steepest = 0;
    const auto stop = [&](double gradient) {
      steepest = std::max(steepest, gradient);
      report_progress(std::log(steepest / gradient) / std::log(steepest / options.tolerance));
      return observer_.stop_requested();
    };
    for (Index left = settled() ? kMostEvaluations : kEvaluationsPerPace; left > 0 && !observer_.stop_requested();) {
      options.max_evaluations = std::min(left, kEvaluationsPerBasis);
      const FactorBasis basis = curvature_.basis(at, s_, price_);
      const Index used = refine(sweep_, at, weights, price_, options, &basis, stop).evaluations;
      evaluations_ += used;
      left = used < options.max_evaluations ? 0 : left - used;
    }
    return recompress(at, kDrop);
  }

  // Letting samples in is half of the way where it is done; of the last leg, the fall of the gradient
  // towards its tolerance, on a logarithmic scale, is as good a measure as any.
  void report_progress(double leg) {
    const double start = config_.select_samples && steps_to_settle_ > 0 ? 0.5 : 0;
    const double here = settled() ? start + (1 - start) * std::clamp(leg, 0.0, 0.99)
                                  : start * static_cast<double>(steps_) / static_cast<double>(steps_to_settle_ + 1);
    progress_ = std::max(progress_, here);
    observer_.progress(progress_);
  }

  // The certificate pays price |W| / P for each per cent by which sigma_1 exceeds the price, and sigma_1
  // is off by about the gradient over the length of the factors. A tenth of the present gap is enough
  // for one iteration, as samples or weak models change after it; near the end the aim is halved
  // each time it was not enough.
  double gradient_tolerance(const Certificate& now, double length) {
    const double aim = 0.03 * now.relative_gap();
    if (aim <= config_.gap) strictness_ *= 0.5;
    return std::max(aim, strictness_ * config_.gap) * now.objective / length;
  }

  const BoostConfig& config_;
  Observer& observer_;
  Sweep<Scalar> sweep_;
  Curvature curvature_;
  SharePace pace_;
  double price_;
  Ensemble ensemble_;
  Vector s_;
  Index evaluations_ = 0;
  double strictness_ = 1;
  double steps_to_settle_ = 0;
  Index steps_ = 0;
  double progress_ = 0;
};

}  // namespace

Start fresh_start(const Problem& problem) {
  return {Vector::Ones(problem.samples()),
          {Matrix(problem.X.dimension(), 0), Matrix(problem.Phi.cols(), 0), Vector(0)},
          false};
}

Trained boost_refined(const Problem& train, const FeatureSpectrum& features, const BoostConfig& config, Start start,
                      Observer& observer) {
  if (config.gap < kFloatGap) return Refinement<double>(train, features, config, std::move(start), observer).run();
  return Refinement<float>(train, features, config, std::move(start), observer).run();
}

}  // namespace bzscr
