#pragma once

#include "types/problem.h"

#include <cstdint>
#include <functional>

namespace bzscr {

/// A network that maps features to embeddings: x -> W2 tanh(W1 x + b1) + b2. It is not bilinear, so
/// a model file cannot hold it.
struct Network {
  Matrix W1;  ///< h x m
  Vector b1;  ///< h
  Matrix W2;  ///< p x h
  Vector b2;  ///< p
};

struct NrConfig {
  double lambda = 1e-4;         ///< weight decay; > 0
  Index hidden = 100;           ///< h; >= 1
  Index max_evaluations = 200;  ///< passes of L-BFGS; >= 1
  std::uint64_t seed = 1;       ///< of the initial network
};

/// Nonlinear regression (Socher, Ganjoo, Manning and Ng, NIPS 2013), by L-BFGS:
///
///   minimise  1/2 mean_n |W2 tanh(W1 x_n + b1) + b2 - phi(y_n)|^2 + lambda/2 |theta|^2
///
/// theta: all of W1, b1, W2, b2. Starts from uniform weights in +-sqrt(6 / (rows + columns)).
/// \param stop  called after each iteration; true ends the training
Network nonlinear_regression(const Problem& problem, const NrConfig& config,
                             const std::function<bool()>& stop = nullptr);

/// Scores -|f(x) - phi_r|^2 / 2, up to a constant per sample, N x C: the nearest embedding has the
/// highest score.
MatrixF scores(const Samples& X, const Network& network, const Matrix& Phi);

}  // namespace bzscr
