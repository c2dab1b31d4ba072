#pragma once

#include "baselines/sgd.h"

namespace bzscr {

/// Attribute Label Embedding (Akata, Perronnin, Harchaoui and Schmid, TPAMI 2016), with the ranking
/// weight of WSABIE. Seen classes other than the true one are drawn, at most C - 1 times, until one
/// violates the margin: Delta(y_n, y) + F(x_n, y) > F(x_n, y_n). If that is the k-th draw,
///
///   W += rate beta(floor((C - 1) / k)) x_n (phi(y_n) - phi(y))^T,    beta(r) = sum_{j <= r} 1/j
///
/// \return  W, m x p, from W = 0
Matrix ale(const Problem& problem, const SgdConfig& config,
           const AfterEpoch& after_epoch = nullptr);

}  // namespace bzscr
