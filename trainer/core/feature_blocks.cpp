#include "core/feature_blocks.h"

#include "core/clones.h"
#include "core/tally.h"

#include <cstring>
#include <type_traits>

namespace bzscr {
namespace {

// Finite half precision to float by integer operations, which vectorise on any machine: the bits moved
// to where a float has them are the value times 2^-112, subnormal halves included.
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
__attribute__((always_inline)) inline void convert_run(const From* from, Index stride, Index n, To* to) {
  if (stride == 1) {
    for (Index j = 0; j < n; ++j) to[j] = static_cast<To>(from_half(from[j]));
  } else {
    for (Index j = 0; j < n; ++j) to[j] = static_cast<To>(from_half(from[j * stride]));
  }
}

BZSCR_CLONES void convert(const std::uint16_t* from, Index stride, Index n, float* to) { convert_run(from, stride, n, to); }
BZSCR_CLONES void convert(const std::uint16_t* from, Index stride, Index n, double* to) { convert_run(from, stride, n, to); }
BZSCR_CLONES void convert(const float* from, Index stride, Index n, double* to) { convert_run(from, stride, n, to); }
BZSCR_CLONES void convert(const double* from, Index stride, Index n, float* to) { convert_run(from, stride, n, to); }
void convert(const float* from, Index stride, Index n, float* to) { convert_run(from, stride, n, to); }
void convert(const double* from, Index stride, Index n, double* to) { convert_run(from, stride, n, to); }

// Rows of the block, each a run of m values `stride` apart in the file.
template <class Stored, class Scalar>
void gather(const Samples& samples, Index first, Index count, RowMatrix<Scalar>& block) {
  const FeatureView& file = samples.features;
  const auto* data = static_cast<const Stored*>(file.data);
  const Index row_step = file.column_major ? 1 : file.columns;
  const Index column_step = file.column_major ? file.rows : 1;
  for (Index i = 0; i < count; ++i)
    convert(data + samples.rows[first + i] * row_step, column_step, file.columns, block.row(i).data());
}

constexpr Index bytes_of(Storage storage) {
  return storage == Storage::kFloat16 ? 2 : storage == Storage::kFloat32 ? 4 : 8;
}

template <class Scalar>
constexpr Storage kStorageOf = std::is_same_v<Scalar, float> ? Storage::kFloat32 : Storage::kFloat64;

}  // namespace

template <class Scalar>
typename FeatureBlocks<Scalar>::Block FeatureBlocks<Scalar>::read(Index first, Index count) {
  const FeatureView& file = samples_.features;
  tally_features(count * file.columns * bytes_of(file.storage));
  const Index row = samples_.rows[first];
  const bool consecutive = samples_.rows[first + count - 1] - row == count - 1;
  if (consecutive && !file.column_major && file.storage == kStorageOf<Scalar>)
    return Block(static_cast<const Scalar*>(file.data) + row * file.columns, count, file.columns);

  if (buffer_.rows() < count) buffer_.resize(count, file.columns);
  switch (file.storage) {
    case Storage::kFloat16: gather<std::uint16_t>(samples_, first, count, buffer_); break;
    case Storage::kFloat32: gather<float>(samples_, first, count, buffer_); break;
    case Storage::kFloat64: gather<double>(samples_, first, count, buffer_); break;
  }
  return Block(buffer_.data(), count, file.columns);
}

template class FeatureBlocks<float>;
template class FeatureBlocks<double>;

}  // namespace bzscr
