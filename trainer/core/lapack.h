#pragma once

#include "types/linalg.h"

namespace bzscr {

// Dense decompositions by LAPACK's direct methods, on one thread. They throw std::runtime_error if
// LAPACK reports a failure.

/// Eigenpairs of a symmetric matrix, largest first.
struct Eigenpairs {
  Matrix vectors;  ///< n x c, orthonormal columns
  Vector values;   ///< c, descending
};

/// The `count` largest eigenvalues and their eigenvectors (dsyevr).
/// \param S      n x n, symmetric
/// \param count  1 to n
Eigenpairs largest_eigenpairs(Matrix S, Index count);

/// All eigenpairs of a positive semidefinite matrix that is symmetric up to rounding. Eigenvalues
/// that are negative by rounding are set to zero.
Eigenpairs semidefinite_eigenpairs(const Matrix& S);

/// M = Q R with r = min(rows, columns) (dgeqrf).
struct Orthogonal {
  Matrix Q;  ///< rows x r, orthonormal columns
  Matrix R;  ///< r x columns, upper triangular
};
/// \param M  at least one row and column
Orthogonal orthogonal(const Matrix& M);

/// M = U diag(sigma) V^T with r = min(rows, columns).
struct SingularTriplets {
  Matrix U;      ///< rows x r, orthonormal columns
  Vector sigma;  ///< r, descending, >= 0
  Matrix V;      ///< columns x r, orthonormal columns
};
/// \param M  at least one row and column (dgesdd)
SingularTriplets singular_triplets(const Matrix& M);

}  // namespace bzscr
