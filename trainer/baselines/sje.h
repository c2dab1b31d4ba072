#pragma once

#include "baselines/sgd.h"

namespace bzscr {

/// Structured Joint Embedding (Akata, Reed, Walter, Lee and Schiele, CVPR 2015). A sample is
/// compared with the seen class that violates the margin most, y* = argmax_y (Delta(y_n, y) +
/// F(x_n, y)); if that is not its true class,
///
///   W += rate x_n (phi(y_n) - phi(y*))^T
///
/// \return  W, m x p, from W = 0
Matrix sje(const Problem& problem, const SgdConfig& config,
           const AfterEpoch& after_epoch = nullptr);

}  // namespace bzscr
