#include "transform.h"

#include "arena.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

namespace bzscr::rt {
namespace {

// If a sum of squares lies between these, no square that contributes to it overflowed or lost bits.
constexpr float kSmallestSafe = 1.0f / kLongest / kLongest;
constexpr float kLargestSafe = kLongest * kLongest;

float sum_of_squares(const Input& at, size_t n, float power) {
  float sums[8] = {};  // independent sums, as in kernels/scalar.cpp
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (size_t lane = 0; lane < 8; ++lane) {
      const float value = at(i + lane) * power;
      sums[lane] += value * value;
    }
  for (; i < n; ++i) {
    const float value = at(i) * power;
    sums[i % 8] += value * value;
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

struct Length {
  bzscr_rt_status status;
  float power;
  float scaled;  // the length times `power`
};

Length measure(const Input& at, size_t n) {
  const float squares = sum_of_squares(at, n, 1.0f);
  if (squares >= kSmallestSafe && squares <= kLargestSafe)
    return {BZSCR_RT_OK, 1.0f, square_root(squares)};

  // Very long, very short, or not a number: find the largest value, then scale it to about 1 and
  // sum again.
  float largest = 0;
  for (size_t i = 0; i < n; ++i) {
    const float size = __builtin_fabsf(at(i));
    if (!(size <= FLT_MAX)) {
      const bool is_finite = __builtin_fabsf(at.raw[i]) <= FLT_MAX;
      return {is_finite ? BZSCR_RT_OUT_OF_RANGE : BZSCR_RT_NOT_FINITE, 0, 0};
    }
    if (size > largest) largest = size;
  }
  if (!(largest > 0)) return {BZSCR_RT_OK, 1.0f, 0.0f};
  const float power = power_to_one(largest);
  return {BZSCR_RT_OK, power, square_root(sum_of_squares(at, n, power))};
}

void write_scaled(const Input& at, size_t n, Scale scale, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = at(i) * scale.power * scale.rest;
}

void write_padding(size_t n, float* out) {
  for (size_t i = n; i < padded(n); ++i) out[i] = 0;
}

struct Part {
  Input values;
  size_t length;
};

// Part p of a raw embedding; the part begins at value `at`.
Part part_of(const EmbeddingTransform& transform, const float* raw, size_t p, size_t at) {
  const float* centre = transform.centre != nullptr ? transform.centre + at : nullptr;
  return {{raw + at, centre, nullptr},
          transform.parts != nullptr ? transform.parts[p] : transform.d};
}

}  // namespace

float square_root(float value) { return __builtin_sqrtf(value); }

bzscr_rt_status find_scale(const Input& input, size_t n, bzscr_rt_scaling scaling, Scale* scale) {
  const Length length = measure(input, n);
  if (length.status != BZSCR_RT_OK) return length.status;
  if (scaling == BZSCR_RT_SCALING_NONE) {
    if (length.scaled > kLongest * length.power) return BZSCR_RT_OUT_OF_RANGE;
    *scale = {1.0f, 1.0f};
    return BZSCR_RT_OK;
  }
  if (!(length.scaled > 0)) return BZSCR_RT_ZERO_INPUT;
  *scale = {length.power, 1.0f / length.scaled};
  return BZSCR_RT_OK;
}

Scale unit_scale(const float* values, size_t n) {
  Scale scale = {0, 0};
  static_cast<void>(find_scale({values, nullptr, nullptr}, n, BZSCR_RT_SCALING_UNIT, &scale));
  return scale;
}

void apply_scale(const Input& input, size_t n, Scale scale, float* out) {
  write_scaled(input, n, scale, out);
  write_padding(n, out);
}

float length_of(const float* values, size_t n) {
  const Length length = measure({values, nullptr, nullptr}, n);
  return length.scaled / length.power;
}

bzscr_rt_status check_embedding(const EmbeddingTransform& transform, const float* raw) {
  size_t at = 0;
  for (size_t p = 0; p < transform.part_count; ++p) {
    const Part part = part_of(transform, raw, p, at);
    Scale unused;
    const bzscr_rt_status status = find_scale(part.values, part.length, transform.scaling, &unused);
    if (status != BZSCR_RT_OK) return status;
    at += part.length;
  }
  return BZSCR_RT_OK;
}

bool has_zero_part(const EmbeddingTransform& transform, const float* raw) {
  size_t at = 0;
  for (size_t p = 0; p < transform.part_count; ++p) {
    const size_t end = at + part_of(transform, raw, p, at).length;
    while (at < end && raw[at] == 0) ++at;
    if (at == end) return true;
    at = end;
  }
  return false;
}

// Computes the scales again instead of storing them: there may be as many parts as values.
void transform_embedding(const EmbeddingTransform& transform, const float* raw, float* out) {
  size_t at = 0;
  for (size_t p = 0; p < transform.part_count; ++p) {
    const Part part = part_of(transform, raw, p, at);
    Scale scale = {1.0f, 1.0f};
    find_scale(part.values, part.length, transform.scaling, &scale);
    write_scaled(part.values, part.length, scale, out + at);
    at += part.length;
  }
  write_padding(at, out);
}

float power_to_one(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  const int32_t exponent = 127 - static_cast<int32_t>(bits >> 23);
  const int32_t normal = exponent > 126 ? 126 : exponent < -126 ? -126 : exponent;
  bits = static_cast<uint32_t>(normal + 127) << 23;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

float plain_length(const float* values, size_t n) {
  return square_root(sum_of_squares({values, nullptr, nullptr}, n, 1.0f));
}

}  // namespace bzscr::rt
