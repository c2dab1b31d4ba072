#pragma once

#include "types/linalg.h"

namespace bzscr {

/// Singular pairs of a negative gradient G, largest first: candidates for weak models.
struct SingularPairs {
  Matrix U;      ///< m x c, orthonormal columns
  Matrix V;      ///< p x c, orthonormal columns
  Vector sigma;  ///< c, descending
};

/// Eq. (12) with h of Eq. (15): sum_ir Q_ir (h(x_i, y_i) - h(x_i, r)) = u^T G v over unit u, v is
/// maximal at the leading singular pair of G, where it equals sigma_1.
/// The pairs are computed from the eigenvectors of the smaller of G^T G and G G^T by a direct
/// method (LAPACK): sigma_1 is exact to rounding, as the certificate requires.
/// \param G      m x p
/// \param count  pairs wanted, >= 1; at most min(m, p) are returned
SingularPairs leading_pairs(const Matrix& G, Index count);

}  // namespace bzscr
