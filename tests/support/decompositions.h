#pragma once

#include "types/linalg.h"

/// Decompositions by Eigen, independent of the trainer's by LAPACK. Each of Eigen's templates is
/// compiled once, here.
namespace bzscr::test {

/// W = U diag(sigma) V^T by Jacobi rotations. With r = min(rows, columns): U rows x r, sigma r and
/// falling, V columns x r.
struct PlainSvd {
  Matrix U;
  Vector sigma;
  Matrix V;
};
PlainSvd plain_svd(const Matrix& W);

/// Sum of singular values.
double trace_norm(const Matrix& W);

/// \param A  n x n, invertible
Matrix inverse(const Matrix& A);

/// S = vectors diag(values) vectors^T, values rising.
struct PlainEigenpairs {
  Matrix vectors;
  Vector values;
};
/// \param S  n x n, symmetric
PlainEigenpairs plain_eigenpairs(const Matrix& S);

/// S^(-1/2).
/// \param S  n x n, symmetric positive definite
Matrix inverse_root(const Matrix& S);

/// x of S x = b.
/// \param S  n x n, symmetric positive definite
Vector solve(const Matrix& S, const Vector& b);

}  // namespace bzscr::test
