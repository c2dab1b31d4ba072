#pragma once

#include "core/lapack.h"
#include "types/problem.h"

namespace bzscr {

/// Sums over samples for the closed forms, computed in one pass. They are double and bitwise the
/// same for any number of threads.
struct Moments {
  Index samples = 0;  ///< N
  Eigenpairs XX;      ///< of X^T X: m x m vectors, m values
  Matrix class_sums;  ///< m x seen: column r is the sum of samples of class r
  Vector counts;      ///< seen: number of samples of each class
};
Moments moments(const Problem& problem);

/// (X^T X + ridge I)^-1 M. M: m x c; ridge > 0.
Matrix ridge_solve(const Eigenpairs& XX, double ridge, const Matrix& M);

}  // namespace bzscr
