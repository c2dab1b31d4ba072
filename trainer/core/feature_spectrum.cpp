#include "core/feature_spectrum.h"

#include "core/counters.h"
#include "core/feature_blocks.h"
#include "core/lapack.h"
#include "core/reducer.h"

#include <algorithm>
#include <numeric>

namespace bzscr {
namespace {

constexpr Index kSamplesPerFeature = 8;
constexpr Index kLargestRotation = 2048;  // for larger m the eigenvectors cost more than they save

// E M in parallel, by rows of the result. Every rank computes it redundantly between two passes.
template <class Left, class Scalar>
Matrix product(const Left& E, const RowMatrix<Scalar>& M, int threads) {
  Matrix out(E.rows(), M.cols());
  constexpr Index rows = 128;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index first = 0; first < E.rows(); first += rows) {
    const Index count = std::min(rows, E.rows() - first);
    const RowMatrix<Scalar> part = E.middleRows(first, count) * M;
    out.middleRows(first, count) = part.template cast<double>();
  }
  return out;
}

}  // namespace

template <>
const Matrix& FeatureSpectrum::in<double>() const {
  return vectors;
}
template <>
const MatrixF& FeatureSpectrum::in<float>() const {
  return rounded;
}

template <class Scalar>
Matrix FeatureSpectrum::into(const Matrix& M) const {
  return vectors.size() == 0
             ? M
             : product(in<Scalar>().transpose(), RowMatrix<Scalar>(M.cast<Scalar>()),
                       thread_count(execution));
}

template <class Scalar>
Matrix FeatureSpectrum::out_of(const Matrix& M) const {
  return vectors.size() == 0
             ? M
             : product(in<Scalar>(), RowMatrix<Scalar>(M.cast<Scalar>()), thread_count(execution));
}

template Matrix FeatureSpectrum::into<float>(const Matrix&) const;
template Matrix FeatureSpectrum::into<double>(const Matrix&) const;
template Matrix FeatureSpectrum::out_of<float>(const Matrix&) const;
template Matrix FeatureSpectrum::out_of<double>(const Matrix&) const;

Index thinning(const Samples& X) {
  return std::max<Index>(1, X.size() / std::max<Index>(2048, kSamplesPerFeature * X.dimension()));
}

Samples every_nth(const Samples& X, Index n, MatrixF& memory) {
  if (n == 1) return X;
  Samples some = X;
  some.rows.clear();
  some.scale = X.scale(Eigen::seq(0, X.size() - 1, n));
  for (Index i = 0; i < X.size(); i += n) some.rows.push_back(X.rows[static_cast<std::size_t>(i)]);
  memory.resize(some.size(), X.dimension());
  struct Worker {
    FeatureBlocks<float> blocks;
    MatrixF& memory;
    void visit(Index first, Index count) {
      memory.middleRows(first, count) = blocks.read(first, count);
    }
  };
  reduce_blocks(
      some.execution, some.size(),
      [&] {
        return Worker{FeatureBlocks<float>(some), memory};
      },
      [](const Worker&) {});
  some.features = {memory.data(), Storage::kFloat32, false, memory.rows(), memory.cols()};
  some.columns = nullptr;  // applied by now
  std::iota(some.rows.begin(), some.rows.end(), Index{0});
  return some;
}

FeatureSpectrum feature_spectrum(const Samples& X) {
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
      if (X.centre.size() > 0) scaled.rowwise() -= X.centre.transpose().cast<float>();
      const Timer timer(X.execution.counters, &Counters::product_seconds,
                        2 * count * scaled.cols() * (rotate ? scaled.cols() : 1));
      if (rotate)
        gram.noalias() = scaled.transpose() * scaled;
      else
        gram = scaled.colwise().squaredNorm();
    }
  };
  Matrix gram = Matrix::Zero(rotate ? m : 1, m);
  reduce_blocks(
      some.execution, some.size(),
      [&] {
        return Worker{some, rotate, FeatureBlocks<float>(some), {}, {}};
      },
      [&](const Worker& block) { gram += block.gram.cast<double>(); });
  allreduce(X.execution, {gram});
  gram *= static_cast<double>(X.size()) / static_cast<double>(some.size());
  FeatureSpectrum spectrum;
  spectrum.execution = X.execution;
  if (!rotate) {
    spectrum.values = gram.row(0).transpose();
    return spectrum;
  }
  Eigenpairs pairs = semidefinite_eigenpairs(gram);
  spectrum.rounded = pairs.vectors.cast<float>();
  spectrum.vectors = std::move(pairs.vectors);
  spectrum.values = std::move(pairs.values);
  return spectrum;
}

}  // namespace bzscr
