#pragma once

#include "types/ensemble.h"
#include "types/problem.h"

/// What bilinear methods have in common: F(x, r) = x^T W phi_r.
namespace bzscr {

/// W as weak models, by SVD: U, V orthonormal, w falling. Without what rounding made of nothing;
/// empty where W is zero.
Ensemble weak_models(const Matrix& W);

/// Scores of all samples and classes, F = X P. For evaluation: N x C floats.
/// \param P  m x C: a vector for each class; W Phi^T where the method is bilinear
MatrixF scores(const Samples& X, const Matrix& P);

/// The highest of each row, the first among equals.
Labels best_classes(const MatrixF& scores);

}  // namespace bzscr
