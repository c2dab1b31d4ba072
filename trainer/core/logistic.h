#pragma once

#include "core/lanes.h"

namespace bzscr {

/// Sums over a row of margins.
struct LogisticSums {
  double loss;      ///< sum_r ln(1 + e^rho_r)
  double gradient;  ///< sum_r sigmoid(rho_r)
};

/// The loss of Eq. (6) and its gradient for one sample: ln(1 + e^rho) and sigmoid(rho) for rho_r =
/// F_r - base + Delta_r, without overflow for any finite rho. This is the hot loop besides the
/// matrix products. In float, relative errors are below 3e-7 (for rho < -87: absolute errors below
/// 2e-38), and the order of summation is the same for all instruction sets.
/// \param F      n  in: scores; out: sigmoid(rho_r)
/// \param Delta  n  divergences; -1e30 in padding, which then contributes zero
/// \param n      float: a multiple of kLanes<float>
LogisticSums logistic_row(float* F, const float* Delta, float base, Index n);
LogisticSums logistic_row(double* F, const double* Delta, double base, Index n);

/// ln(1 + e^t) and its derivative, sigmoid(t).
struct Logistic {
  double softplus, sigmoid;
};
Logistic logistic(double t);

}  // namespace bzscr
