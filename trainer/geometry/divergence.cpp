#include "geometry/divergence.h"

namespace bzscr {

Matrix cosine_divergence(const Matrix& embeddings) {
  const Matrix unit = embeddings.rowwise().normalized();
  Matrix away = (1.0 - (unit * unit.transpose()).array()).cwiseMax(0.0);
  away.diagonal().setZero();
  const double widest = away.maxCoeff();
  if (widest > 0) away /= widest;
  return away;
}

Matrix zero_one_divergence(Index classes) {
  return Matrix::Ones(classes, classes) - Matrix::Identity(classes, classes);
}

}  // namespace bzscr
