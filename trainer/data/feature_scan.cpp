#include "data/feature_scan.h"

#include "types/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace bzscr {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kSmallest = std::numeric_limits<float>::min();

double up_to_sign(double value) { return value; }
double up_to_sign(float value) { return static_cast<double>(value); }

/// |value|, by integer operations that vectorise on any machine. Half precision's bits, moved to where
/// float32 has them, are the value times 2^-112; but infinity and NaN have an exponent of their own.
double up_to_sign(Eigen::half value) {
  const std::uint32_t bits = value.x & 0x7fffu;
  const std::uint32_t special = bits >= 0x7c00u ? 0x7f800000u : 0u;
  const std::uint32_t moved = (bits << 13) | special;
  float result;
  std::memcpy(&result, &moved, sizeof result);
  return static_cast<double>(result * 0x1p112f);
}

/// Squared length of a row. Eight sums side by side: one alone could not be vectorised without changing
/// the order of additions behind the reader's back.
template <class T>
double squared_length(const T* x, Index n) {
  constexpr Index kLanes = 8;
  double sums[kLanes] = {};
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) {
      const double value = up_to_sign(x[j + lane]);
      sums[lane] += value * value;
    }
  for (; j < n; ++j) sums[j % kLanes] += up_to_sign(x[j]) * up_to_sign(x[j]);
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

/// Squared lengths of rows [begin, end) of a row-major matrix.
template <class T>
void measure_rows(const T* data, Index columns, Index begin, Index end, Vector& squared) {
#pragma omp parallel for schedule(static)
  for (Index i = begin; i < end; ++i) squared[i] = squared_length(data + i * columns, columns);
}

/// Adds columns [begin, end) of a column-major matrix to the squared lengths of all its rows.
template <class T>
void add_columns(const T* data, Index rows, Index begin, Index end, Vector& squared) {
  constexpr Index kBlock = 2048;  // rows whose sums stay in the nearest cache
  const Index blocks = (rows + kBlock - 1) / kBlock;
#pragma omp parallel for schedule(static)
  for (Index block = 0; block < blocks; ++block) {
    const Index first = block * kBlock, last = std::min(rows, first + kBlock);
    for (Index j = begin; j < end; ++j)
      for (Index i = first; i < last; ++i) {
        const double value = up_to_sign(data[j * rows + i]);
        squared[i] += value * value;
      }
  }
}

/// The pass over memory, by windows small enough that what was measured is still at hand to be hashed.
template <class T>
Vector squared_lengths(const FeatureView& features, ContentHash& hash) {
  constexpr Index kWindowBytes = Index{16} << 20;
  const T* const data = static_cast<const T*>(features.data);
  const Index lines = features.column_major ? features.columns : features.rows;
  const Index line = features.column_major ? features.rows : features.columns;
  const Index step = std::max<Index>(1, kWindowBytes / std::max<Index>(1, line * static_cast<Index>(sizeof(T))));

  Vector squared = Vector::Zero(features.rows);
  for (Index begin = 0; begin < lines; begin += step) {
    const Index end = std::min(lines, begin + step);
    if (features.column_major)
      add_columns(data, features.rows, begin, end, squared);
    else
      measure_rows(data, features.columns, begin, end, squared);
    hash.add_bytes(data + begin * line, static_cast<std::size_t>((end - begin) * line) * sizeof(T));
  }
  return squared;
}

double value_at(const FeatureView& features, Index i, Index j) {
  const Index at = features.column_major ? j * features.rows + i : i * features.columns + j;
  switch (features.storage) {
    case Storage::kFloat16: return static_cast<double>(static_cast<const Eigen::half*>(features.data)[at]);
    case Storage::kFloat32: return static_cast<double>(static_cast<const float*>(features.data)[at]);
    case Storage::kFloat64: return static_cast<const double*>(features.data)[at];
  }
  return 0.0;
}

/// Names the first value of row i that float32 cannot hold, if there is one.
void refuse_bad_value(const std::string& path, const FeatureView& features, Index i) {
  for (Index j = 0; j < features.columns; ++j) {
    const double value = value_at(features, i, j);
    if (!(std::abs(value) <= kLargest))
      throw InputError(path, fmt::format("row {}, column {} is {}; expected finite values within float32", i, j, value));
  }
}

}  // namespace

Vector scan_features(const std::string& path, const FeatureView& features, ContentHash& hash) {
  hash.begin("features");
  hash.add_number(static_cast<std::uint64_t>(features.storage));
  hash.add_number(features.column_major);
  hash.add_number(static_cast<std::uint64_t>(features.rows));
  hash.add_number(static_cast<std::uint64_t>(features.columns));
  Vector squared;
  switch (features.storage) {
    case Storage::kFloat16: squared = squared_lengths<Eigen::half>(features, hash); break;
    case Storage::kFloat32: squared = squared_lengths<float>(features, hash); break;
    case Storage::kFloat64: squared = squared_lengths<double>(features, hash); break;
  }
  for (Index i = 0; i < features.rows; ++i) {
    // One bad value makes the sum of squares infinite, NaN or at least this large.
    if (!(squared[i] <= kLargest * kLargest)) refuse_bad_value(path, features, i);
    if (squared[i] < kSmallest * kSmallest)
      throw InputError(path, fmt::format("row {} is all zero; a sample needs at least one feature that is not", i));
  }
  return squared.cwiseSqrt();
}

}  // namespace bzscr
