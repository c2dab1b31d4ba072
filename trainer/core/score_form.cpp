#include "core/score_form.h"

#include <cmath>

namespace bzscr {

Matrix class_rows(const Factors& at, const Matrix& Phi, ScoreForm form) {
  Matrix Z = Phi * at.B;
  if (form == ScoreForm::kPlain) return Z;
  const Vector squares = (Z * (at.A.transpose() * at.A)).cwiseProduct(Z).rowwise().sum();
  for (Index r = 0; r < Z.rows(); ++r) {
    const double length = std::sqrt(std::max(0.0, squares[r]));
    const bool zero = length <= 0x1p-30 * Phi.row(r).norm();
    Z.row(r) *= zero ? 0 : form == ScoreForm::kHalf ? 1 / std::sqrt(length) : 1 / length;
  }
  return Z;
}

}  // namespace bzscr
