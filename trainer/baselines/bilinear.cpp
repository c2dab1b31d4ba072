#include "baselines/bilinear.h"

#include "core/blas.h"
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
  use_single_threaded_blas();
  const MatrixF vectors = P.cast<float>();
  MatrixF F(X.size(), P.cols());
  const Index blocks = (X.size() + kBlockSamples - 1) / kBlockSamples;
#pragma omp parallel
  {
    FeatureBlocks<float> features(X);
#pragma omp for schedule(static, 1)
    for (Index b = 0; b < blocks; ++b) {
      const Index first = b * kBlockSamples, count = std::min(kBlockSamples, X.size() - first);
      const MatrixF block = features.read(first, count) * vectors;
      F.middleRows(first, count) = X.scale.segment(first, count).cast<float>().asDiagonal() * block;
    }
  }
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
