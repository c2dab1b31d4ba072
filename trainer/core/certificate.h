#pragma once

#include "core/penalty.h"
#include "core/sweep.h"
#include "core/weak_learner.h"

namespace bzscr {

/// Primal and dual value of the convex problem for given s: an upper bound of the distance of a
/// solution from the optimum.
struct Certificate {
  double objective;    ///< P = sum_i s_i l_i + trace |W|_* + ridge/2 |W|_F^2
  double lower_bound;  ///< D <= min P
  double relative_gap() const {
    return objective > 0 ? std::max(0.0, (objective - lower_bound) / objective) : 0;
  }
};

/// The certificate of a solution, and the quantities from which the next step starts.
struct Inspection {
  Certificate certificate;
  Vector losses;          ///< N: l_i
  Matrix G;               ///< m x p: -d (P - trace |W|_*) / d W
  SingularPairs leading;  ///< leading pairs of G; sigma[0] is the left side of Eq. (18)
};

/// Fenchel duality, Eq. (10), (18): Q at the current scores, scaled by tau = min(1, trace /
/// sigma_1) so that no weak model violates the dual constraint, is feasible, and its dual value is
/// a lower bound of the optimum. With a ridge every Q is feasible; the conjugate of the penalty,
/// sum_j max(0, sigma_j - trace)^2 / (2 ridge) over the singular values of Q's G, is then
/// subtracted. Takes two passes over the samples.
///
/// With a base W0 every loss is f(F + F0) with F0 = X W0 Phi^T. Its convex conjugate is that of f
/// minus <., F0>, so the dual objective at (q, z) gains
///   sum_i [ sum_r q_ir (F0_ir - F0_iy) + beta z_i cov(F0_i) ] = -<W0, G(q, z)>,
/// because the sum in brackets is the derivative of the loss along F0. G is linear in (q, z), so
/// the term scales with tau, and the constraint on G is the same as without base.
/// \param A       m x k, B p x k: factors of W = A B^T
/// \param weight  sum of the weights of the ensemble, >= |W|_*
/// \param s       N sample weights in [0, 1]
/// \param penalty trace = nu N, and ridge
template <class Scalar>
Inspection inspect(const Sweep<Scalar>& sweep, const Matrix& A, const Matrix& B, double weight,
                   const Vector& s, Penalty penalty);

}  // namespace bzscr
