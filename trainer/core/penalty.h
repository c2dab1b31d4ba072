#pragma once

namespace bzscr {

/// The regularisation weights of trace |W|_* + ridge/2 |W|_F^2. The first term is that of Eq. (5)
/// when the weak models are free; the second distributes W over more weak models (an elastic net of
/// the singular values of W; Zou and Hastie 2005).
struct Penalty {
  // NOLINTNEXTLINE: implicit conversion from the weight of the trace norm
  Penalty(double trace_, double ridge_ = 0) : trace(trace_), ridge(ridge_) {}

  double trace;  ///< nu N; > 0
  double ridge;  ///< >= 0
};

}  // namespace bzscr
