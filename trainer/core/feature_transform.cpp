#include "core/feature_transform.h"

#include "core/feature_blocks.h"
#include "core/reducer.h"

#include <cmath>

namespace bzscr {
namespace {

/// The sum over all samples of f(block), a matrix of one row per block: f maps a block of samples
/// to it.
template <class Function>
Vector sum_over_blocks(const Samples& X, Function f) {
  struct Worker {
    const Function& f;
    FeatureBlocks<float> blocks;
    Vector sum{};
    void visit(Index first, Index count) { sum = f(blocks.read(first, count), first); }
  };
  Vector sum = Vector::Zero(X.dimension());
  reduce_blocks(
      X.execution, X.size(),
      [&] {
        return Worker{f, FeatureBlocks<float>(X)};
      },
      [&](const Worker& block) { sum += block.sum; });
  allreduce(X.execution, {sum});
  return sum;
}

}  // namespace

ColumnScaling column_scaling(const Samples& X) {
  const auto n = static_cast<double>(X.size());
  const Vector mean =
      sum_over_blocks(X,
                      [](const auto& rows, Index) {
                        return Vector(rows.template cast<double>().colwise().sum().transpose());
                      }) /
      n;
  const Vector variance =
      sum_over_blocks(X,
                      [&](const auto& rows, Index) {
                        const Matrix centred =
                            rows.template cast<double>().rowwise() - mean.transpose();
                        return Vector(centred.colwise().squaredNorm().transpose());
                      }) /
      n;
  ColumnScaling columns{mean.cast<float>(), VectorF::Zero(X.dimension())};
  for (Index j = 0; j < X.dimension(); ++j) {
    const double deviation = std::sqrt(variance[j]);
    if (deviation > 0x1p-20 * std::hypot(mean[j], deviation))
      columns.factor[j] = static_cast<float>(1 / deviation);
  }
  return columns;
}

Vector inverse_lengths(const Samples& X) {
  Vector lengths(X.size());
  struct Worker {
    FeatureBlocks<float> blocks;
    Vector& lengths;
    void visit(Index first, Index count) {
      lengths.segment(first, count) =
          blocks.read(first, count).template cast<double>().rowwise().norm();
    }
  };
  reduce_blocks(
      X.execution, X.size(),
      [&] {
        return Worker{FeatureBlocks<float>(X), lengths};
      },
      [](const Worker&) {});
  allgather_samples(X.execution, lengths, X.size());
  return (lengths.array() > 0).select(lengths.cwiseInverse(), 0);
}

Vector mean_sample(const Samples& X) {
  return sum_over_blocks(X,
                         [&](const auto& rows, Index first) {
                           const VectorF scale =
                               X.scale.segment(first, rows.rows()).template cast<float>();
                           return Vector((rows.transpose() * scale).template cast<double>());
                         }) /
         static_cast<double>(X.size());
}

}  // namespace bzscr
