#include "solver/boost.h"

#include "core/curvature.h"
#include "core/refinement.h"
#include "solver/self_paced_schedule.h"

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

constexpr Index kPairsPerIteration = 48;
constexpr Index kMostEvaluations = 150;            // before weak models are looked for again
constexpr Index kEvaluationsPerScheduleStep = 10;  // as long as every step lets more samples in
constexpr Index kEvaluationsPerBasis = 20;
constexpr double kSeedWeight =
    1e-4;  // of a new pair, relative to the weight that would undo the loss at its slope
constexpr double kDrop = 1e-5;      // triplets below this, relative to the largest, are rounding
constexpr double kFloatGap = 2e-5;  // gaps below this are under the noise of single precision

template <class Scalar>
class Refinement {
 public:
  Refinement(const Problem& train, const FeatureSpectrum& features, const BoostConfig& config,
             RefinedState from, Observer& observer)
      : config_(config),
        observer_(observer),
        sweep_(train, config.beta),
        curvature_(train, features, config.beta),
        penalty_(config.nu * static_cast<double>(train.samples()),
                 config.ridge * static_cast<double>(train.samples())),
        at_(std::move(from)),
        schedule_(config, at_.schedule) {}

  Trained run() {
    for (;; ++at_.iteration) {
      observer_.state(at_);
      Inspection now = look();
      const bool done =
          settled() && now.certificate.relative_gap() <= config_.gap && confirmed(now);
      if (at_.iteration > 0)
        observer_.iteration({at_.iteration, now.leading.sigma[0], now.certificate.objective,
                             now.certificate.lower_bound, now.certificate.relative_gap(),
                             at_.ensemble.w.size(), selected_share(at_.s), -1, at_.evaluations},
                            at_.ensemble);
      if (done) return ended(now, Ending::kConverged);
      if (observer_.stop_requested()) return ended(now, Ending::kInterrupted);
      if (at_.iteration == config_.max_iterations) return ended(now, Ending::kIterationLimit);
      at_.ensemble = improve(now);
      if (config_.select_samples) at_.s = schedule_.next(losses());
    }
  }

 private:
  Trained ended(const Inspection& now, Ending ending) {
    const double selected = selected_share(at_.s);
    return {std::move(at_.ensemble),
            std::move(at_.s),
            now.certificate,
            at_.iteration,
            at_.evaluations,
            selected,
            -1,
            ending};
  }

  bool settled() const { return !config_.select_samples || schedule_.settled(); }

  Inspection look() {
    at_.evaluations += 2;
    const Factors here = factors(at_.ensemble);
    return inspect(sweep_, here.A, here.B, at_.ensemble.w.sum(), at_.s, penalty_);
  }

  Vector losses() {
    at_.evaluations += 1;
    const Factors here = factors(at_.ensemble);
    return sweep_.losses(here.A, here.B);
  }

  // The certificate that is reported is computed in double.
  bool confirmed(Inspection& now) {
    if constexpr (std::is_same_v<Scalar, double>) return true;
    at_.evaluations += 2;
    const Factors here = factors(at_.ensemble);
    const Sweep<double> exact(sweep_.problem(), config_.beta);
    now = inspect(exact, here.A, here.B, at_.ensemble.w.sum(), at_.s, penalty_);
    return now.certificate.relative_gap() <= config_.gap;
  }

  // Adds the weak models that violate the dual constraint most, and lets all of them move.
  Ensemble improve(const Inspection& now) {
    if (now.leading.sigma[0] <= penalty_.trace && at_.ensemble.w.size() == 0)
      return at_.ensemble;  // worth no weak model
    if (at_.ensemble.w.size() == 0)
      return refined(now, curvature_.first_guess(now.G, at_.s, penalty_, kPairsPerIteration));
    const SingularPairs missing =
        leading_pairs(orthogonal_residual(at_.ensemble, now.G), kPairsPerIteration);
    const Index wanted = (missing.sigma.array() > penalty_.trace).count();
    const double seed = kSeedWeight * now.certificate.objective / now.leading.sigma[0];
    return refined(
        now, append(at_.ensemble, missing.U.leftCols(wanted), missing.V.leftCols(wanted), seed));
  }

  // The curvature is looked at again whenever the factors have moved for a while.
  Ensemble refined(const Inspection& now, const Ensemble& from) {
    Factors at = factors(from);
    LbfgsOptions options;
    options.min_iterations = 3;
    options.noise = kSumNoise<Scalar>;
    options.tolerance =
        gradient_tolerance(now.certificate, std::sqrt(at.A.squaredNorm() + at.B.squaredNorm()));
    // While samples are let in, s stands until w has followed, as printed. Then both move together.
    const bool together = config_.select_samples && schedule_.settled();
    const SampleWeights weights =
        together ? SampleWeights(schedule_.parameters()) : SampleWeights(at_.s);
    double steepest = 0;
    const auto stop = [&](double gradient) {
      steepest = std::max(steepest, gradient);
      report_progress(std::log(steepest / gradient) / std::log(steepest / options.tolerance));
      return observer_.stop_requested();
    };
    for (Index left = settled() ? kMostEvaluations : kEvaluationsPerScheduleStep;
         left > 0 && !observer_.stop_requested();) {
      options.max_evaluations = std::min(left, kEvaluationsPerBasis);
      const FactorBasis basis = curvature_.basis(at, at_.s, penalty_);
      const Index used = refine(sweep_, at, weights, penalty_, options, &basis, stop).evaluations;
      at_.evaluations += used;
      left = used < options.max_evaluations ? 0 : left - used;
    }
    return recompress(at, kDrop);
  }

  // Letting samples in is half of the way where it is done; of the last leg, the fall of the
  // gradient towards its tolerance, on a logarithmic scale, is as good a measure as any.
  void report_progress(double leg) {
    const double start = config_.select_samples && at_.schedule_steps > 0 ? 0.5 : 0;
    const double here = settled() ? start + (1 - start) * std::clamp(leg, 0.0, 0.99)
                                  : start * static_cast<double>(at_.iteration) /
                                        static_cast<double>(at_.schedule_steps + 1);
    at_.progress = std::max(at_.progress, here);
    observer_.progress(at_.progress);
  }

  // The certificate pays regularisation weight |W| / P for each per cent by which sigma_1 exceeds
  // the regularisation weight, and sigma_1 is off by about the gradient over the length of the
  // factors. A small part of the present gap is enough for one iteration, as samples or weak models
  // change after it; near the end the aim is halved each time it was not enough.
  double gradient_tolerance(const Certificate& now, double length) {
    const double aim = 0.03 * now.relative_gap();
    if (aim <= config_.gap) at_.strictness *= 0.5;
    return std::max(aim, at_.strictness * config_.gap) * now.objective / length;
  }

  const BoostConfig& config_;
  Observer& observer_;
  Sweep<Scalar> sweep_;
  Curvature curvature_;
  Penalty penalty_;
  RefinedState at_;
  SelfPacedSchedule schedule_;  // moves at_.schedule
};

}  // namespace

RefinedState fresh_start(const Problem& problem, const BoostConfig& config) {
  RefinedState start;
  start.s = Vector::Ones(problem.samples());
  start.ensemble = {Matrix(problem.X.dimension(), 0), Matrix(problem.Phi.cols(), 0), Vector(0)};
  if (config.select_samples)
    start.schedule_steps = static_cast<Index>(std::ceil(
        std::log(config.final_share / config.initial_share) / std::log(config.share_growth)));
  return start;
}

RefinedState warm_start(const Trained& near, const BoostConfig& config) {
  RefinedState start;
  start.s = near.s;
  start.ensemble = near.ensemble;
  if (near.ensemble.w.size() > 0) start.schedule.share = config.final_share;
  return start;
}

Trained boost_refined(const Problem& train, const FeatureSpectrum& features,
                      const BoostConfig& config, RefinedState from, Observer& observer) {
  if (config.gap < kFloatGap)
    return Refinement<double>(train, features, config, std::move(from), observer).run();
  return Refinement<float>(train, features, config, std::move(from), observer).run();
}

}  // namespace bzscr
