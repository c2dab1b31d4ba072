#pragma once

#include "types/ensemble.h"
#include "types/scaling.h"

namespace bzscr {

/// The class rows z_r (C x k) of a model, so that the score of x and class r is (x^T A) z_r: rows of
/// Phi B, divided by the power of |p_r|, p_r = A B^T phi_r, that the form asks for. Every score of
/// training and evaluation is computed from them, and the runtime's rows follow the same rule
/// (schema/FORMAT.md): a row with |p_r| <= 2^-30 |phi_r| is zero unless the form is kPlain.
/// \param Phi  C x p; except for kPlain its origin is that of the transformed embeddings
Matrix class_rows(const Factors& at, const Matrix& Phi, ScoreForm form);

}  // namespace bzscr
