#pragma once

#include "core/penalty.h"
#include "core/sweep.h"
#include "core/weak_learner.h"

namespace bzscr {

/// How far a solution is from the optimum of the convex problem for the given s, at most.
struct Certificate {
  double objective;    ///< P = sum_i s_i l_i + trace |W|_* + ridge/2 |W|_F^2
  double lower_bound;  ///< D <= min P
  double relative_gap() const {
    return objective > 0 ? std::max(0.0, (objective - lower_bound) / objective) : 0;
  }
};

/// A solution seen from the dual side: the certificate, and what the next step starts from.
struct Inspection {
  Certificate certificate;
  Vector losses;          ///< N: l_i
  Matrix G;               ///< m x p: -d (P - trace |W|_*) / d W
  SingularPairs leading;  ///< the first of G; sigma[0] is the violation of Eq. (18)
};

/// Fenchel duality, Eq. (10), (18): Q at the current scores, shrunk by tau = min(1, trace /
/// sigma_1) so that no weak model violates the dual constraint, is feasible, and its dual value
/// bounds the optimum from below. With a ridge every Q is feasible, at the cost of the penalty's
/// conjugate, sum_j max(0, sigma_j - trace)^2 / (2 ridge) over the singular values of Q's G. Two
/// passes over the samples.
/// \param A, B   factors of W = A B^T
/// \param weight sum of weights of the ensemble: at least the trace norm of W
/// \param regularisation  nu N
template <class Scalar>
Inspection inspect(const Sweep<Scalar>& sweep, const Matrix& A, const Matrix& B, double weight,
                   const Vector& s, Penalty penalty);

}  // namespace bzscr
