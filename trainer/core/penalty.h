#pragma once

namespace bzscr {

/// What the objective charges for W beside its losses: trace |W|_* + ridge/2 |W|_F^2. The first is
/// the price of ensemble weight of Eq. (5), where weak models are free; the second spreads W over
/// more of them (an elastic net of W's singular values; Zou and Hastie 2005).
struct Penalty {
  Penalty(double trace_, double ridge_ = 0)
      : trace(trace_), ridge(ridge_) {}  // NOLINT: a regularisation weight alone is a penalty

  double trace;  ///< nu N; > 0
  double ridge;  ///< >= 0
};

}  // namespace bzscr
