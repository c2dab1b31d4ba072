#pragma once

#include "types/problem.h"

/// Reference implementation of the paper's formulas: loops in double over whole N x C matrices. The
/// trainer's optimised computations, in blocks and in float, are compared with these.
namespace bzscr::test {

/// X, scaled, N x m.
Matrix plain_features(const Samples& samples);

/// F(x_i, r) = x_i^T W phi_r, N x C.
Matrix plain_scores(const Problem& problem, const Matrix& W);

/// rho_ir = F_ir - F_iy + Delta(y_i, r) of seen r, N x seen; Eq. (2).
Matrix plain_margins(const Problem& problem, const Matrix& F);

/// cov_i of Delta(y_i, .) and F_i over the target classes, N; Eq. (3). Zero without target classes.
Vector plain_covariances(const Problem& problem, const Matrix& F);

/// l_i, N; Eq. (5), (6).
Vector plain_losses(const Problem& problem, const Matrix& F, double beta);

/// Q, N x C; Eq. (11). The column of the true class is filled like any other, as it cancels in G.
Matrix plain_dual_weights(const Problem& problem, const Matrix& F, const Vector& s, double beta);

/// sum_ir Q_ir x_i (phi_y - phi_r)^T, m x p; Eq. (12), (15).
Matrix plain_negative_gradient(const Problem& problem, const Matrix& Q);

/// sum_i s_i l_i + regularisation |W|_*; Eq. (5) for fixed s, with |W|_* as the smallest sum of
/// weights of any ensemble with this W.
double plain_objective(const Problem& problem, const Matrix& W, const Vector& s, double beta,
                       double regularisation);

/// The dual objective at q = tau s sigmoid(rho), z = tau s sigmoid(cov); Eq. (10).
double plain_dual(const Problem& problem, const Matrix& F, const Vector& s, double beta,
                  double tau);

}  // namespace bzscr::test
