#include "core/feature_spectrum.h"

#include "core/blas.h"
#include "core/eigenpairs.h"
#include "core/feature_blocks.h"
#include "core/reducer.h"
#include "core/tally.h"

#include <algorithm>
#include <numeric>

namespace bzscr {
namespace {

constexpr Index kSamplesPerFeature = 8;
constexpr Index kLargestRotation = 2048;  // above it finding the eigenvectors costs more than they save

// E M by rows of the result, in parallel: this product stands between two passes over the samples.
template <class Left>
Matrix product(const Left& E, const Matrix& M) {
  Matrix out(E.rows(), M.cols());
  constexpr Index rows = 128;
#pragma omp parallel for schedule(static)
  for (Index first = 0; first < E.rows(); first += rows) {
    const Index count = std::min(rows, E.rows() - first);
    out.middleRows(first, count).noalias() = E.middleRows(first, count) * M;
  }
  return out;
}

}  // namespace

Matrix FeatureSpectrum::into(const Matrix& M) const { return vectors.size() == 0 ? M : product(vectors.transpose(), M); }

Matrix FeatureSpectrum::out_of(const Matrix& M) const { return vectors.size() == 0 ? M : product(vectors, M); }

Index thinning(const Samples& X) {
  return std::max<Index>(1, X.size() / std::max<Index>(2048, kSamplesPerFeature * X.dimension()));
}

Samples every_nth(const Samples& X, Index n, MatrixF& memory) {
  if (n == 1) return X;
  Samples some{X.features, {}, X.scale(Eigen::seq(0, X.size() - 1, n))};
  for (Index i = 0; i < X.size(); i += n) some.rows.push_back(X.rows[static_cast<std::size_t>(i)]);
  memory.resize(some.size(), X.dimension());
  struct Worker {
    FeatureBlocks<float> blocks;
    MatrixF& memory;
    void visit(Index first, Index count) { memory.middleRows(first, count) = blocks.read(first, count); }
  };
  reduce_blocks(
      some.size(), [&] { return Worker{FeatureBlocks<float>(some), memory}; }, [](const Worker&) {});
  some.features = {memory.data(), Storage::kFloat32, false, memory.rows(), memory.cols()};
  std::iota(some.rows.begin(), some.rows.end(), Index{0});
  return some;
}

FeatureSpectrum feature_spectrum(const Samples& X) {
  use_single_threaded_blas();
  const Index every = thinning(X), m = X.dimension();
  MatrixF memory;
  const Samples some = every_nth(X, every, memory);
  const bool rotate = m <= kLargestRotation;
  struct Worker {
    const Samples& X;
    bool rotate;
    FeatureBlocks<float> blocks;
    MatrixF scaled, gram;
    void visit(Index first, Index count) {
      scaled = X.scale.segment(first, count).cast<float>().asDiagonal() * blocks.read(first, count);
      const Timer timer(&Tally::product_seconds, 2 * count * scaled.cols() * (rotate ? scaled.cols() : 1));
      if (rotate) gram.noalias() = scaled.transpose() * scaled;
      else gram = scaled.colwise().squaredNorm();
    }
  };
  Matrix gram = Matrix::Zero(rotate ? m : 1, m);
  reduce_blocks(
      some.size(), [&] { return Worker{some, rotate, FeatureBlocks<float>(some), {}, {}}; },
      [&](const Worker& block) { gram += block.gram.cast<double>(); });
  add_up({gram});
  gram *= static_cast<double>(X.size()) / static_cast<double>(some.size());
  if (!rotate) return {Matrix(), gram.row(0).transpose()};
  Eigenpairs pairs = semidefinite_eigenpairs(gram);
  return {std::move(pairs.vectors), std::move(pairs.values)};
}

}  // namespace bzscr
