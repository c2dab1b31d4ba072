#pragma once

#include "core/sweep.h"

namespace bzscr {

struct Weights {
  Vector w;          ///< K, >= 0
  double objective;  ///< sum_i s_i l_i + regularisation weight sum_j w_j
  Index evaluations;
};

/// Optimises all weights for the given weak models, Eq. (9): min over w >= 0, as in Algorithm 1.
/// \param P     N x K: X U
/// \param Z     C x K: Phi V
/// \param w     K: start
/// \param s     N
/// \param regularisation nu N
template <class Scalar>
Weights solve_weights(
    const Sweep<Scalar>& sweep,
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>& P,
    const Matrix& Z, Vector w, const Vector& s, double regularisation);

}  // namespace bzscr
