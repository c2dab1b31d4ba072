#pragma once

#include "types/ensemble.h"
#include "types/problem.h"

/// Functions common to bilinear methods, F(x, r) = x^T W phi_r.
namespace bzscr {

/// W (m x p) as weak models, by SVD: U, V orthonormal, w descending, singular values at rounding
/// level dropped. Empty if W is zero.
Ensemble weak_models(const Matrix& W);

/// Scores of all samples and classes, F = X P. For evaluation: N x C floats.
/// \param P  m x C: one vector per class; W Phi^T if the method is bilinear
MatrixF scores(const Samples& X, const Matrix& P);

/// The class with the highest score of each row; of equal ones the first.
Labels best_classes(const MatrixF& scores);

}  // namespace bzscr
