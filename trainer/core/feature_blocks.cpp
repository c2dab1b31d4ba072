#include "core/feature_blocks.h"

#include "core/clones.h"
#include "core/counters.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace bzscr {
namespace {

// Converts finite half precision to float by integer operations, which vectorise on any machine:
// the bits, shifted to their position in a float, are the value times 2^-112, subnormals included.
inline float from_half(std::uint16_t half) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  float value;
  std::memcpy(&value, &magnitude, sizeof value);
  value *= 0x1p112f;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits |= sign;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float from_half(float value) { return value; }
inline double from_half(double value) { return value; }

template <class From, class To>
__attribute__((always_inline)) inline void convert_run(const From* from, Index stride, Index n,
                                                       To* to) {
  if (stride == 1) {
    for (Index j = 0; j < n; ++j) to[j] = static_cast<To>(from_half(from[j]));
  } else {
    for (Index j = 0; j < n; ++j) to[j] = static_cast<To>(from_half(from[j * stride]));
  }
}

BZSCR_CLONES void convert(const std::uint16_t* from, Index stride, Index n, float* to) {
  convert_run(from, stride, n, to);
}
BZSCR_CLONES void convert(const std::uint16_t* from, Index stride, Index n, double* to) {
  convert_run(from, stride, n, to);
}
BZSCR_CLONES void convert(const float* from, Index stride, Index n, double* to) {
  convert_run(from, stride, n, to);
}
BZSCR_CLONES void convert(const double* from, Index stride, Index n, float* to) {
  convert_run(from, stride, n, to);
}
void convert(const float* from, Index stride, Index n, float* to) {
  convert_run(from, stride, n, to);
}
void convert(const double* from, Index stride, Index n, double* to) {
  convert_run(from, stride, n, to);
}

// Copies rows of a block. The m values of a row are 1 or `rows` values apart in the file.
template <class Stored, class Scalar>
void gather(const Samples& samples, Index first, Index count, RowMatrix<Scalar>& block) {
  const FeatureView& file = samples.features;
  for (Index i = 0; i < count; ++i) {
    const Index row = samples.rows[static_cast<std::size_t>(first + i)];
    const void* const at =
        file.column_major ? static_cast<const Stored*>(file.data) + row : file.row(row);
    convert(static_cast<const Stored*>(at), file.column_major ? file.rows : 1, file.columns,
            block.row(i).data());
  }
}

template <class Scalar>
constexpr Storage kStorageOf =
    std::is_same_v<Scalar, float> ? Storage::kFloat32 : Storage::kFloat64;

// Distance in bytes behind the current block at which pages are released: all threads have passed
// them. The operating system reads ahead, because rows are visited in ascending order.
constexpr Index kKept = Index{64} << 20;

void release_behind(const Samples& samples, Index first, Index count) {
  const FeatureView& file = samples.features;
  const Index behind =
      first - std::max(count, kKept / std::max<Index>(1, file.row_bytes()) / count * count);
  if (behind < 0 || file.column_major) return;
  const auto* const begin =
      static_cast<const char*>(file.row(samples.rows[static_cast<std::size_t>(behind)]));
  const auto* const end =
      static_cast<const char*>(file.row(samples.rows[static_cast<std::size_t>(behind + count)]));
  const Index rows = samples.rows[static_cast<std::size_t>(behind + count)] -
                     samples.rows[static_cast<std::size_t>(behind)];
  if (end - begin == rows * file.row_bytes())
    file.release(begin, static_cast<std::size_t>(end - begin));  // otherwise a new part begins
}

}  // namespace

template <class Scalar>
typename FeatureBlocks<Scalar>::Block FeatureBlocks<Scalar>::read(Index first, Index count) {
  const FeatureView& file = samples_.features;
  if (file.release) release_behind(samples_, first, count);
  if (samples_.execution.counters != nullptr)
    samples_.execution.counters->add_features(count * file.row_bytes());
  const ColumnScaling* const columns = samples_.columns.get();
  if (columns == nullptr && !file.column_major && file.storage == kStorageOf<Scalar>) {
    const void* const begin = file.row(samples_.rows[static_cast<std::size_t>(first)]);
    const void* const last = file.row(samples_.rows[static_cast<std::size_t>(first + count - 1)]);
    const bool together = static_cast<const char*>(last) - static_cast<const char*>(begin) ==
                          (count - 1) * file.row_bytes();
    if (together) return Block(static_cast<const Scalar*>(begin), count, file.columns);
  }

  if (buffer_.rows() < count) buffer_.resize(count, file.columns);
  switch (file.storage) {
    case Storage::kFloat16: gather<std::uint16_t>(samples_, first, count, buffer_); break;
    case Storage::kFloat32: gather<float>(samples_, first, count, buffer_); break;
    case Storage::kFloat64: gather<double>(samples_, first, count, buffer_); break;
  }
  if (columns != nullptr) {
    auto rows = buffer_.topRows(count).array();
    rows.rowwise() -= columns->mean.transpose().cast<Scalar>().array();
    rows.rowwise() *= columns->factor.transpose().cast<Scalar>().array();
  }
  return Block(buffer_.data(), count, file.columns);
}

template class FeatureBlocks<float>;
template class FeatureBlocks<double>;

}  // namespace bzscr
