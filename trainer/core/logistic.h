#pragma once

#include "core/lanes.h"

namespace bzscr {

/// What a row of margins adds up to.
struct LogisticSums {
  double loss;      ///< sum_r ln(1 + e^rho_r)
  double gradient;  ///< sum_r sigmoid(rho_r)
};

/// The loss of Eq. (6) and its slope for one sample: rho_r = F_r - base + Delta_r, and then
/// ln(1 + e^rho) and sigmoid(rho) without overflow for any finite rho. The hot loop beside the
/// matrix products. In float, relative errors stay under 3e-7 (below rho = -87: absolute ones,
/// under 2e-38), and the order of the sums is the same for any instruction set.
/// \param F      n in: scores; out: sigmoid(rho_r)
/// \param Delta  n  divergences; -1e30 in padding, which then adds nothing
/// \param n      float: a multiple of kLanes<float>
LogisticSums logistic_row(float* F, const float* Delta, float base, Index n);
LogisticSums logistic_row(double* F, const double* Delta, double base, Index n);

/// ln(1 + e^t) and its slope of one value.
struct Logistic {
  double softplus, sigmoid;
};
Logistic logistic(double t);

}  // namespace bzscr
