#include "kernels.h"

#include <string.h>

namespace bzscr::rt {
namespace {

float as_float(float value) { return value; }

// Exact for all but subnormals, infinities and NaN. The exponent bias of a float is larger by 112.
float as_float(uint16_t half) {
  const uint32_t magnitude = half & 0x7FFFu;
  uint32_t bits = magnitude != 0 ? (magnitude << 13) + (112u << 23) : 0;
  bits |= (half & 0x8000u) << 16;
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <class Value>
float dot(const Value* row, const float* x, size_t length) {
  float sums[16] = {};  // independent, so that compilers vectorise the loops
  size_t i = 0;
  for (; i + 16 <= length; i += 16)
    for (size_t lane = 0; lane < 16; ++lane) sums[lane] += as_float(row[i + lane]) * x[i + lane];
  if (i < length)
    for (size_t lane = 0; lane < 8; ++lane) sums[lane] += as_float(row[i + lane]) * x[i + lane];
  for (size_t half = 8; half > 0; half /= 2)
    for (size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

template <class Value>
void dot_floats(const Value* rows, size_t n, size_t pitch, size_t length, const float* x,
                float* out) {
  for (size_t r = 0; r < n; ++r) out[r] = dot(rows + r * pitch, x, length);
}

void dot_int8(const int8_t* rows, size_t n, size_t pitch, size_t length, const int8_t* x,
              int32_t* out) {
  for (size_t r = 0; r < n; ++r) {
    const int8_t* row = rows + r * pitch;
    int32_t sum = 0;
    for (size_t i = 0; i < length; ++i) sum += int32_t{row[i]} * int32_t{x[i]};
    out[r] = sum;
  }
}

void combine(const float* rows, size_t n, size_t pitch, size_t length, const float* factors,
             float* out) {
  for (size_t i = 0; i < length; i += 8) {
    float sums[8] = {};
    for (size_t r = 0; r < n; ++r)
      for (size_t lane = 0; lane < 8; ++lane) sums[lane] += factors[r] * rows[r * pitch + i + lane];
    memcpy(out + i, sums, sizeof sums);
  }
}

}  // namespace

Kernels scalar_kernels() {
  return {"scalar", true, dot_floats<float>, dot_floats<uint16_t>, dot_int8, combine};
}

}  // namespace bzscr::rt
