#pragma once

#include "baselines/sgd.h"

namespace bzscr {

/// The published margin of DeViSE. With W = 0 at the start, another margin only scales W and the
/// rate.
constexpr double kDeviseMargin = 0.1;

/// DeViSE (Frome et al., NIPS 2013). Seen classes other than the true one are tested in random
/// order until one violates the margin, F(x_n, y) > F(x_n, y_n) - 0.1; for this class
///
///   W += rate x_n (phi(y_n) - phi(y))^T
///
/// \return  W, m x p, from W = 0
Matrix devise(const Problem& problem, const SgdConfig& config,
              const AfterEpoch& after_epoch = nullptr);

}  // namespace bzscr
