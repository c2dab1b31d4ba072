#include "baselines/bilinear.h"

#include "core/feature_blocks.h"
#include "core/reducer.h"
#include "core/weak_learner.h"

namespace bzscr {

Ensemble weak_models(const Matrix& W) {
  if (W.isZero(0)) return {Matrix(W.rows(), 0), Matrix(W.cols(), 0), Vector()};
  SingularPairs pairs = leading_pairs(W, std::min(W.rows(), W.cols()));
  const Index sound = (pairs.sigma.array() > 1e-7 * pairs.sigma[0]).count();
  return {pairs.U.leftCols(sound), pairs.V.leftCols(sound), pairs.sigma.head(sound)};
}

MatrixF scores(const Samples& X, const Matrix& P) {
  const MatrixF vectors = P.cast<float>();
  Eigen::RowVectorXf shift;
  if (X.centre.size() > 0) shift = (X.centre.transpose() * P).cast<float>();
  struct Worker {
    const Samples& X;
    const MatrixF& vectors;
    const Eigen::RowVectorXf& shift;
    MatrixF& F;
    FeatureBlocks<float> features;
    void visit(Index first, Index count) {
      const MatrixF block = features.read(first, count) * vectors;
      F.middleRows(first, count) = X.scale.segment(first, count).cast<float>().asDiagonal() * block;
      if (shift.size() > 0) F.middleRows(first, count).rowwise() -= shift;
    }
  };
  MatrixF F(X.size(), P.cols());
  reduce_blocks(
      X.execution, X.size(),
      [&] {
        return Worker{X, vectors, shift, F, FeatureBlocks<float>(X)};
      },
      [](const Worker&) {});
  return F;
}

Labels best_classes(const MatrixF& scores) {
  Labels best(static_cast<std::size_t>(scores.rows()));
  for (Index i = 0; i < scores.rows(); ++i) {
    Index r = 0;
    scores.row(i).maxCoeff(&r);
    best[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(r);
  }
  return best;
}

}  // namespace bzscr
