#pragma once

#include "types/linalg.h"

#include <deque>
#include <functional>

namespace bzscr {

/// Returns f(x) and writes its gradient to g, resized to the size of x.
using Differentiable = std::function<double(const Vector& x, Vector& g)>;

struct LbfgsOptions {
  Index memory = 20;            ///< pairs kept; >= 1
  Index max_evaluations = 200;  ///< >= 1
  double noise = 0;             ///< relative noise of f; smaller changes of f are ignored
  Index min_iterations = 0;     ///< minimise(): iterations before the tolerance is checked
  /// Of the gradient, absolute: of its norm (minimise) or of its largest entry
  /// (minimise_nonnegative).
  double tolerance = 1e-6;
  Vector curvature;  ///< minimise(): initial diagonal of the Hessian, > 0; empty: not known
};

struct LbfgsResult {
  double value = 0;
  Index iterations = 0;
  Index evaluations = 0;
};

/// A step, the change of the gradient along it, and two products of them.
struct LbfgsPair {
  Vector step, change;
  double curvature;  ///< step^T change > 0
  double scale;      ///< curvature / (change^T D change), D: initial inverse Hessian
};

/// The last `memory` pairs and their quasi-Newton direction (two-loop recursion; Nocedal and
/// Wright, Algorithm 7.4).
class LbfgsMemory {
 public:
  /// \param inverse  diagonal of the initial inverse Hessian, up to scale; empty: the identity
  explicit LbfgsMemory(Index memory, Vector inverse = Vector())
      : memory_(memory), inverse_(std::move(inverse)) {}
  /// Appends a pair, if the curvature along the step is positive.
  void push(const Vector& step, const Vector& change);
  /// -H g.
  Vector direction(const Vector& g) const;
  /// The same restricted to the entries whose `free` is 1; the entries with 0 stay 0. The initial
  /// inverse Hessian is the identity.
  Vector direction(const Vector& g, const Vector& free) const;
  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

 private:
  Index memory_;
  Vector inverse_;
  std::deque<LbfgsPair> pairs_;
};

/// Minimises a smooth f from x, which is updated in place. The line search satisfies the strong
/// Wolfe conditions, or the approximate ones of Hager and Zhang (2005) where changes of f are below
/// its noise; f(x) never increases by more than the noise. Ends if the norm of the gradient is at
/// most options.tolerance, if no step decreases f, or if `stop` returns true, which is called after
/// each iteration with the norm of the gradient.
LbfgsResult minimise(const Differentiable& f, Vector& x, const LbfgsOptions& options,
                     const std::function<bool(double gradient)>& stop = nullptr);

/// The same under x >= 0, by two-metric projection (Bertsekas 1982): entries at zero with a
/// positive gradient are fixed, the others move along the projected quasi-Newton direction. Ends if
/// no entry of the projected gradient exceeds options.tolerance.
LbfgsResult minimise_nonnegative(const Differentiable& f, Vector& x, const LbfgsOptions& options);

}  // namespace bzscr
