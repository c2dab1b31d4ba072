#include "core/weak_learner.h"

#include "core/lapack.h"

#include <algorithm>

namespace bzscr {

SingularPairs leading_pairs(const Matrix& G, Index count) {
  const bool wide = G.cols() > G.rows();
  const Index side = std::min(G.rows(), G.cols());
  count = std::clamp<Index>(count, 1, side);
  const double largest = G.cwiseAbs().maxCoeff();
  if (largest == 0)
    return {Matrix::Identity(G.rows(), 1), Matrix::Identity(G.cols(), 1), Vector::Zero(1)};

  const Matrix scaled = G / largest;  // squares neither overflow nor underflow
  Matrix gram(side, side);
  if (wide)
    gram.noalias() = scaled * scaled.transpose();
  else
    gram.noalias() = scaled.transpose() * scaled;
  const Eigenpairs eigen = largest_eigenpairs(std::move(gram), count);

  // Drop pairs below rounding: their other singular vector would not have unit length.
  const Index sound = std::max<Index>(1, (eigen.values.array() > 1e-14 * eigen.values[0]).count());
  SingularPairs pairs;
  const Matrix near = eigen.vectors.leftCols(sound);
  Matrix far = wide ? Matrix(scaled.transpose() * near) : Matrix(scaled * near);
  const Vector lengths = far.colwise().norm();
  far *= lengths.cwiseInverse().asDiagonal();
  pairs.sigma = lengths * largest;
  pairs.U = wide ? near : far;
  pairs.V = wide ? far : near;
  return pairs;
}

}  // namespace bzscr
