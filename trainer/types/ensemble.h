#pragma once

#include "types/linalg.h"

namespace bzscr {

/// k weak models: F(x, phi) = sum_j w_j (x . u_j) (v_j . phi).
struct Ensemble {
  Matrix U;  ///< m x k, unit columns u_j
  Matrix V;  ///< d x k, unit columns v_j
  Vector w;  ///< k, >= 0
};

/// Factors of W = A B^T. For an ensemble, A = U diag(sqrt w) and B = V diag(sqrt w).
struct Factors {
  Matrix A;  ///< m x k
  Matrix B;  ///< p x k
};

}  // namespace bzscr
