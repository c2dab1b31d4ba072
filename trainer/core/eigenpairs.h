#pragma once

#include "types/linalg.h"

namespace bzscr {

/// Eigenpairs of a symmetric matrix, largest first.
struct Eigenpairs {
  Matrix vectors;  ///< n x c, orthonormal columns
  Vector values;   ///< c, falling
};

/// The `count` largest, by LAPACK's dsyevr: computed, not iterated until they look right.
/// \param S      n x n, symmetric
/// \param count  1 to n
Eigenpairs largest_eigenpairs(Matrix S, Index count);

/// All of a positive semidefinite matrix, symmetric but for rounding; values that rounding took below zero are zero.
Eigenpairs semidefinite_eigenpairs(const Matrix& S);

}  // namespace bzscr
