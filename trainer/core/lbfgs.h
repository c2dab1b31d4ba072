#pragma once

#include "types/linalg.h"

#include <deque>
#include <functional>

namespace bzscr {

/// f(x), and its gradient into g (resized to x). x and g are flat.
using Differentiable = std::function<double(const Vector& x, Vector& g)>;

struct LbfgsOptions {
  Index memory = 20;            ///< pairs kept; >= 1
  Index max_evaluations = 200;  ///< >= 1
  double noise = 0;             ///< of f, relative: under it a step is judged by slopes
  Index min_iterations = 0;     ///< minimise: before the tolerance is looked at
  double tolerance = 1e-6;  ///< of the gradient, absolute: its length (minimise) or largest entry
  Vector curvature;  ///< minimise: second derivatives to start from, > 0; empty: nothing is known
};

struct LbfgsResult {
  double value = 0;
  Index iterations = 0;
  Index evaluations = 0;
};

/// A step, how the gradient changed along it, and what follows from the two.
struct LbfgsPair {
  Vector step, change;
  double curvature;  ///< step^T change > 0
  double scale;  ///< curvature / change^T D change, of the inverse Hessian D that the pairs correct
};

/// The last `memory` pairs, and the quasi-Newton direction they give (two-loop recursion; Nocedal
/// and Wright, Algorithm 7.4).
class LbfgsMemory {
 public:
  /// \param inverse  diagonal of the inverse Hessian that the pairs correct, up to scale; empty:
  /// the identity
  explicit LbfgsMemory(Index memory, Vector inverse = Vector())
      : memory_(memory), inverse_(std::move(inverse)) {}
  /// Kept only if the curvature along the step is positive.
  void push(const Vector& step, const Vector& change);
  /// -H g.
  Vector direction(const Vector& g) const;
  /// The same where entries whose `free` is 0 take no part, the others 1; from the identity.
  Vector direction(const Vector& g, const Vector& free) const;
  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

 private:
  Index memory_;
  Vector inverse_;
  std::deque<LbfgsPair> pairs_;
};

/// Minimises a smooth f from x, which is moved. The line search satisfies the strong Wolfe
/// conditions or ends the run; f(x) never rises by more than its noise, under which slopes decide
/// (the approximate Wolfe conditions of Hager and Zhang, 2005). Ends where the gradient is no
/// longer than options.tolerance. `stop`, where given, is asked after each iteration, and told the
/// length of the gradient.
LbfgsResult minimise(const Differentiable& f, Vector& x, const LbfgsOptions& options,
                     const std::function<bool(double gradient)>& stop = nullptr);

/// The same under x >= 0, by two-metric projection (Bertsekas 1982): entries at zero whose slope
/// pushes them further are held, the others move along the quasi-Newton direction, projected. Ends
/// where no entry of the projected gradient exceeds options.tolerance.
LbfgsResult minimise_nonnegative(const Differentiable& f, Vector& x, const LbfgsOptions& options);

}  // namespace bzscr
