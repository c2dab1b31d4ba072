#include "core/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bzscr {

namespace {

// Least cosine between a step and its gradient change: pairs below it are dropped as rounding.
constexpr double kLeastCosine = 1e-12;

// -H q (Nocedal and Wright, Algorithm 7.4). Memory-bound on large problems: each pair is read
// twice.
Vector quasi_newton(const std::deque<LbfgsPair>& pairs, const Vector& inverse, Vector q) {
  std::vector<double> alpha(pairs.size());
  for (std::size_t j = pairs.size(); j-- > 0;) {
    alpha[j] = pairs[j].step.dot(q) / pairs[j].curvature;
    q -= alpha[j] * pairs[j].change;
  }
  if (inverse.size() > 0) q.array() *= inverse.array();
  if (!pairs.empty()) q *= pairs.back().scale;
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    const double beta = pairs[j].change.dot(q) / pairs[j].curvature;
    q += (alpha[j] - beta) * pairs[j].step;
  }
  return -q;
}

}  // namespace

void LbfgsMemory::push(const Vector& step, const Vector& change) {
  const double curvature = step.dot(change);
  if (!(curvature > kLeastCosine * step.norm() * change.norm())) return;
  if (static_cast<Index>(pairs_.size()) == memory_) pairs_.pop_front();
  const double squared = inverse_.size() > 0 ? (change.array().square() * inverse_.array()).sum()
                                             : change.squaredNorm();
  pairs_.push_back({step, change, curvature, curvature / squared});
}

Vector LbfgsMemory::direction(const Vector& g) const { return quasi_newton(pairs_, inverse_, g); }

Vector LbfgsMemory::direction(const Vector& g, const Vector& free) const {
  std::deque<LbfgsPair> restricted;
  for (const LbfgsPair& pair : pairs_) {
    LbfgsPair part{pair.step.cwiseProduct(free), pair.change.cwiseProduct(free), 0, 0};
    part.curvature = part.step.dot(part.change);
    const double squared = part.change.squaredNorm();
    part.scale = part.curvature / squared;
    if (part.curvature > kLeastCosine * squared)
      restricted.push_back(std::move(part));  // its curvature on the free entries may be <= 0
  }
  return quasi_newton(restricted, Vector(), g.cwiseProduct(free));
}

namespace {

constexpr double kArmijo = 1e-4;
constexpr double kCurvature = 0.9;
constexpr Index kIdle = 10;

// A point on the line x + t direction.
struct Trial {
  double t, value, derivative;
};

// Minimiser of the cubic interpolant of both points, clamped to the middle of the bracket.
double interpolate(const Trial& a, const Trial& b) {
  const double d1 = a.derivative + b.derivative - 3 * (a.value - b.value) / (a.t - b.t);
  const double square = d1 * d1 - a.derivative * b.derivative;
  const double low = std::min(a.t, b.t), high = std::max(a.t, b.t);
  double t = 0.5 * (low + high);
  if (square >= 0) {
    const double d2 = std::copysign(std::sqrt(square), b.t - a.t);
    const double candidate =
        b.t - (b.t - a.t) * (b.derivative + d2 - d1) / (b.derivative - a.derivative + 2 * d2);
    if (std::isfinite(candidate)) t = candidate;
  }
  return std::clamp(t, low + 0.1 * (high - low), high - 0.1 * (high - low));
}

}  // namespace

LbfgsResult minimise(const Differentiable& f, Vector& x, const LbfgsOptions& options,
                     const std::function<bool(double gradient)>& stop) {
  LbfgsMemory memory(options.memory, options.curvature.cwiseInverse());
  LbfgsResult result;
  Vector g, trial_g, best_x;
  double value = f(x, g);
  result.evaluations = 1;
  while (result.evaluations < options.max_evaluations && g.squaredNorm() > 0 &&
         (result.iterations < options.min_iterations || g.norm() > options.tolerance)) {
    Vector direction = memory.direction(g);
    double derivative = direction.dot(g);
    if (!(derivative < 0)) {
      memory.clear();
      direction = memory.direction(g);
      derivative = direction.dot(g);
    }
    // Without curvature information the first step may be far too long: limit it to the size of x.
    double t = memory.empty() && options.curvature.size() == 0
                   ? std::min(1.0, std::max(0.01 * x.norm(), 1e-8) / direction.norm())
                   : 1.0;

    Trial low{0, value, derivative}, high{0, 0, 0};
    bool bracketed = false, moved = false;
    const double noise = options.noise * std::fabs(value);
    const Vector start = x, start_g = g;
    while (result.evaluations < options.max_evaluations) {
      x = start + t * direction;
      const double trial_value = f(x, trial_g);
      ++result.evaluations;
      const Trial trial{t, trial_value, trial_g.dot(direction)};
      const bool decreases = trial_value <= value + kArmijo * t * derivative &&
                             (low.t == 0 || trial_value < low.value);
      const bool decreases_by_gradient = noise > 0 && trial_value <= value + noise &&
                                         trial.derivative <= (2 * kArmijo - 1) * derivative;
      if (!std::isfinite(trial_value) || !(decreases || decreases_by_gradient)) {
        high = trial;
        bracketed = true;
      } else {
        const Trial before = low;
        low = trial;
        moved = true;
        best_x = x;
        g = trial_g;
        if (std::fabs(trial.derivative) <= -kCurvature * derivative) break;
        if (trial.derivative * ((bracketed ? high.t : t + 1) - trial.t) >= 0) {
          high = before;
          bracketed = true;
        }
      }
      if (bracketed && std::fabs(high.t - low.t) < 1e-10 * std::max(1.0, low.t)) break;
      if (!bracketed)
        t *= 4;
      else
        t = std::isfinite(high.value) ? interpolate(low, high) : low.t + 0.1 * (high.t - low.t);
    }
    if (!moved) {
      x = start;
      if (memory.empty()) break;  // no descent along the gradient: converged to rounding
      memory.clear();
      continue;
    }
    x = best_x;
    value = low.value;
    memory.push(x - start, g - start_g);
    ++result.iterations;
    if (stop && stop(g.norm())) break;
  }
  result.value = value;
  return result;
}

LbfgsResult minimise_nonnegative(const Differentiable& f, Vector& x, const LbfgsOptions& options) {
  LbfgsMemory memory(options.memory);
  LbfgsResult result;
  Vector g, trial_g;
  x = x.cwiseMax(0);
  double value = f(x, g);
  result.evaluations = 1;
  Index idle = 0;
  double least = std::numeric_limits<double>::infinity();  // projected gradient so far
  while (result.evaluations < options.max_evaluations) {
    const Vector free = ((x.array() > 0) || (g.array() < 0)).cast<double>();
    const double steepest = free.cwiseProduct(g).cwiseAbs().maxCoeff();
    if (steepest <= options.tolerance) break;
    idle = steepest < 0.9 * least ? 0 : idle + 1;
    least = std::min(least, steepest);
    if (idle > kIdle) break;  // neither value nor gradient decreases: converged to rounding
    Vector direction = memory.direction(g, free);
    if (!(direction.dot(g) < 0)) {
      memory.clear();
      direction = -free.cwiseProduct(g);
    }
    double t =
        memory.empty() ? std::min(1.0, std::max(0.1 * x.norm(), 1e-3) / direction.norm()) : 1.0;
    const Vector start = x;
    bool moved = false;
    double trial_value = value;
    while (result.evaluations < options.max_evaluations) {
      x = (start + t * direction).cwiseMax(0);
      trial_value = f(x, trial_g);
      ++result.evaluations;
      const double derivative = g.dot(x - start);
      const bool decreases = trial_value <= value + kArmijo * derivative && trial_value <= value;
      const bool decreases_by_gradient = options.noise > 0 &&
                                         trial_value <= value + options.noise * std::fabs(value) &&
                                         trial_g.dot(x - start) <= (2 * kArmijo - 1) * derivative;
      if (std::isfinite(trial_value) && (decreases || decreases_by_gradient)) {
        moved = true;
        break;
      }
      if ((x - start).norm() <= 1e-12 * start.norm()) break;
      // Minimiser of the parabola through value, derivative and trial value, clamped to [0.1, 0.5].
      const double shrink =
          std::isfinite(trial_value) ? -0.5 * derivative / (trial_value - value - derivative) : 0.1;
      t *= std::clamp(std::isfinite(shrink) ? shrink : 0.1, 0.1, 0.5);
    }
    if (!moved) {
      x = start;
      if (memory.empty()) break;
      memory.clear();
      continue;
    }
    memory.push(x - start, trial_g - g);
    if (value - trial_value > 1e-10 * std::fabs(value)) idle = 0;
    value = trial_value;
    g = trial_g;
    ++result.iterations;
  }
  result.value = value;
  return result;
}

}  // namespace bzscr
