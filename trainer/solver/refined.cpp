#include "solver/boost.h"

#include "core/curvature.h"
#include "core/refinement.h"
#include "solver/self_paced_schedule.h"

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

constexpr Index kPairsPerIteration = 48;
constexpr Index kMostEvaluations = 150;            // per iteration
constexpr Index kEvaluationsPerScheduleStep = 10;  // per iteration while the schedule advances
constexpr Index kEvaluationsPerBasis = 20;
// Weight of a new pair, relative to the weight at which its linear model reduces the loss to zero.
constexpr double kSeedWeight = 1e-4;
constexpr double kDrop = 1e-5;      // relative to the largest weight; smaller ones are rounding
constexpr double kFloatGap = 2e-5;  // smaller gaps are below the noise of single precision

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
                            with_base(sweep_.problem(), at_.ensemble));
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

  // Computes the final certificate again in double, and whether it still meets config_.gap.
  bool confirmed(Inspection& now) {
    if constexpr (std::is_same_v<Scalar, double>) return true;
    at_.evaluations += 2;
    const Factors here = factors(at_.ensemble);
    const Sweep<double> exact(sweep_.problem(), config_.beta);
    now = inspect(exact, here.A, here.B, at_.ensemble.w.sum(), at_.s, penalty_);
    return now.certificate.relative_gap() <= config_.gap;
  }

  // Adds the weak models that violate the dual constraint most, and refines all weak models.
  Ensemble improve(const Inspection& now) {
    if (now.leading.sigma[0] <= penalty_.trace && at_.ensemble.w.size() == 0)
      return at_.ensemble;  // the optimum is the empty model
    if (at_.ensemble.w.size() == 0)
      return refined(now, curvature_.first_guess(now.G, at_.s, penalty_, kPairsPerIteration));
    const SingularPairs missing =
        leading_pairs(orthogonal_residual(at_.ensemble, now.G), kPairsPerIteration);
    const Index wanted = (missing.sigma.array() > penalty_.trace).count();
    const double seed = kSeedWeight * now.certificate.objective / now.leading.sigma[0];
    return refined(
        now, append(at_.ensemble, missing.U.leftCols(wanted), missing.V.leftCols(wanted), seed));
  }

  // Refines in runs of kEvaluationsPerBasis evaluations; the curvature is updated before each.
  Ensemble refined(const Inspection& now, const Ensemble& from) {
    Factors at = factors(from);
    LbfgsOptions options;
    options.min_iterations = 3;
    options.noise = kSumNoise<Scalar>;
    options.tolerance =
        gradient_tolerance(now.certificate, std::sqrt(at.A.squaredNorm() + at.B.squaredNorm()));
    // While the schedule advances, s is fixed during the refinement, as in Algorithm 1. Afterwards
    // s and w are optimised jointly.
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

  // The self-paced schedule, if there is one, counts as half of the run. The rest is measured by
  // the logarithm of the gradient relative to its tolerance.
  // \param leg  that measure, 0 to 1
  void report_progress(double leg) {
    const double start = config_.select_samples && at_.schedule_steps > 0 ? 0.5 : 0;
    const double here = settled() ? start + (1 - start) * std::clamp(leg, 0.0, 0.99)
                                  : start * static_cast<double>(at_.iteration) /
                                        static_cast<double>(at_.schedule_steps + 1);
    at_.progress = std::max(at_.progress, here);
    observer_.progress(at_.progress);
  }

  // The relative gap grows by trace |W| / P times the relative excess of sigma_1 over trace, and
  // the error of sigma_1 is about the gradient divided by the norm of the factors. A small part of
  // the current gap suffices for one iteration, because samples or weak models change afterwards;
  // near the end the tolerance is halved each time it was too large.
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
  SelfPacedSchedule schedule_;  // updates at_.schedule
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
