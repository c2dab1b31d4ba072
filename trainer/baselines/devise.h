#pragma once

#include "baselines/sgd.h"

namespace bzscr {

/// The margin of DeViSE, as published. From W = 0 another one only scales W and the rate that fits.
constexpr double kDeviseMargin = 0.1;

/// DeViSE (Frome et al., NIPS 2013). Wrong seen classes are taken in random order until one is
/// within the margin, F(x_n, y) > F(x_n, y_n) - 0.1; for the first such
///
///   W += rate x_n (phi(y_n) - phi(y))^T
///
/// \return  W, m x p, from W = 0
Matrix devise(const Problem& problem, const SgdConfig& config,
              const AfterEpoch& after_epoch = nullptr);

}  // namespace bzscr
