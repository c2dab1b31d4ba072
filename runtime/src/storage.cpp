#include "storage.h"

#include "arena.h"
#include "transform.h"

#include <string.h>

namespace bzscr::rt {
namespace {

constexpr float kLargestInt8 = 127.0f;
constexpr int32_t kHalfExponent = 14;  // exponent of the largest value of a float16 row

uint32_t bits_of(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The absolute values of floats have the same order as their bits without the sign; compilers
// vectorise the comparison of integers.
float largest_of(const float* values, size_t n) {
  uint32_t largest = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t size = bits_of(values[i]) & 0x7FFFFFFFu;
    largest = size > largest ? size : largest;
  }
  float value = 0;
  memcpy(&value, &largest, sizeof value);
  return value;
}

// Scales by a power of two first: the inverse of the largest value may overflow a float.
float store_int8(const float* values, size_t width, int8_t* out) {
  const float largest = largest_of(values, width);
  if (!(largest > 0)) return 1.0f;
  const float power = power_to_one(largest);
  const float steps = kLargestInt8 / (largest * power);
  for (size_t i = 0; i < width; ++i) {
    const float value = values[i] * power * steps;
    out[i] = static_cast<int8_t>(static_cast<int32_t>(value + __builtin_copysignf(0.5f, value)));
  }
  return largest / kLargestInt8;
}

// The nearest float16, ties to even, for |value| < 65504; zero for |value| < 2^-14.
uint16_t half_of(float value) {
  constexpr uint32_t kSmallest = (127u - 14u) << 23;
  const uint32_t bits = bits_of(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t sign = bits >> 16 & 0x8000u;
  if (magnitude < kSmallest) return static_cast<uint16_t>(sign);
  const uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
  return static_cast<uint16_t>(sign | (rounded - (112u << 23)) >> 13);
}

float store_float16(const float* values, size_t width, uint16_t* out) {
  const float largest = largest_of(values, width);
  if (!(largest > 0)) return 1.0f;
  const float up = static_cast<float>(1 << kHalfExponent);
  const float power = power_to_one(largest);
  for (size_t i = 0; i < width; ++i) out[i] = half_of(values[i] * power * up);
  return 1.0f / power / up;
}

void score_int8(const RowFormat& format, const Kernels& kernels, const unsigned char* rows,
                const float* scales, size_t n, const Query& query, float* scores) {
  constexpr size_t kBlock = 64;
  int32_t sums[kBlock];
  for (size_t first = 0; first < n; first += kBlock) {
    const size_t block = n - first < kBlock ? n - first : kBlock;
    kernels.dot_int8(reinterpret_cast<const int8_t*>(rows + first * format.bytes), block,
                     format.bytes, format.bytes, static_cast<const int8_t*>(query.values), sums);
    for (size_t r = 0; r < block; ++r)
      scores[first + r] = static_cast<float>(sums[r]) * scales[first + r] * query.scale;
  }
}

}  // namespace

const char* storage_name(bzscr_rt_storage storage) {
  switch (storage) {
    case BZSCR_RT_STORAGE_INT8: return "int8";
    case BZSCR_RT_STORAGE_FLOAT16: return "float16";
    default: return "float32";
  }
}

uint64_t bytes_of_value(bzscr_rt_storage storage) {
  switch (storage) {
    case BZSCR_RT_STORAGE_INT8: return sizeof(int8_t);
    case BZSCR_RT_STORAGE_FLOAT16: return sizeof(uint16_t);
    default: return sizeof(float);
  }
}

RowFormat row_format(bzscr_rt_storage storage, uint32_t width) {
  constexpr uint64_t kStep = BZSCR_RT_ALIGNMENT;
  const uint64_t bytes = (width * bytes_of_value(storage) + kStep - 1) / kStep * kStep;
  return {storage, width, static_cast<size_t>(bytes)};
}

float store_row(const RowFormat& format, const float* values, void* out) {
  memset(out, 0, format.bytes);
  switch (format.storage) {
    case BZSCR_RT_STORAGE_INT8: return store_int8(values, format.width, static_cast<int8_t*>(out));
    case BZSCR_RT_STORAGE_FLOAT16:
      return store_float16(values, format.width, static_cast<uint16_t*>(out));
    default: memcpy(out, values, format.width * sizeof(float)); return 1.0f;
  }
}

void score_rows(const RowFormat& format, const Kernels& kernels, const unsigned char* rows,
                const float* scales, size_t n, const Query& query, float* scores) {
  const size_t pitch = format.bytes / static_cast<size_t>(bytes_of_value(format.storage));
  const size_t length = static_cast<size_t>(padded(format.width));
  const float* x = static_cast<const float*>(query.values);
  switch (format.storage) {
    case BZSCR_RT_STORAGE_INT8: score_int8(format, kernels, rows, scales, n, query, scores); break;
    case BZSCR_RT_STORAGE_FLOAT16:
      kernels.dot_float16(reinterpret_cast<const uint16_t*>(rows), n, pitch, length, x, scores);
      for (size_t r = 0; r < n; ++r) scores[r] *= scales[r];
      break;
    default: kernels.dot_float32(reinterpret_cast<const float*>(rows), n, pitch, length, x, scores);
  }
}

}  // namespace bzscr::rt
