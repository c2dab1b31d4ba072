#include "kernels.h"

#include <arm_neon.h>

namespace bzscr::rt {
namespace {

// Rows at once: their sums do not depend on one another, and fit the registers together with the
// values of x.
#if defined(__aarch64__)
constexpr size_t kRows = 4;
#else
constexpr size_t kRows = 2;
#endif

float32x4_t load(const float* values) { return vld1q_f32(values); }
float32x4_t load(const uint16_t* halves) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(halves)));
}

// Rounds the product before it is added; vmlaq_f32 may be fused.
float32x4_t add_product(float32x4_t sum, float32x4_t a, float32x4_t b) {
  return vaddq_f32(sum, vmulq_f32(a, b));
}

// The sum of four lanes; adds lanes 2, then 1 apart.
float sum_of(float32x4_t four) {
  const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(vpadd_f32(two, two), 0);
}

int32_t sum_of(int32x4_t four) {
  const int32x2_t two = vadd_s32(vget_low_s32(four), vget_high_s32(four));
  return vget_lane_s32(vpadd_s32(two, two), 0);
}

// Pointers to kRows rows. Past the last row they repeat the last one.
template <class Value>
void start_rows(const Value* rows, size_t first, size_t n, size_t pitch, const Value** row) {
  for (size_t r = 0; r < kRows; ++r) row[r] = rows + (first + r < n ? first + r : n - 1) * pitch;
}

template <class Value>
void dot_floats(const Value* rows, size_t n, size_t pitch, size_t length, const float* x,
                float* out) {
  for (size_t first = 0; first < n; first += kRows) {
    const Value* row[kRows];
    start_rows(rows, first, n, pitch, row);
    float32x4_t sum[kRows][4];
    for (size_t r = 0; r < kRows; ++r)
      for (size_t part = 0; part < 4; ++part) sum[r][part] = vdupq_n_f32(0);
    size_t i = 0;
    for (; i + 16 <= length; i += 16)
      for (size_t part = 0; part < 4; ++part) {
        const float32x4_t values = load(x + i + 4 * part);
        for (size_t r = 0; r < kRows; ++r)
          sum[r][part] = add_product(sum[r][part], load(row[r] + i + 4 * part), values);
      }
    if (i < length)
      for (size_t part = 0; part < 2; ++part) {
        const float32x4_t values = load(x + i + 4 * part);
        for (size_t r = 0; r < kRows; ++r)
          sum[r][part] = add_product(sum[r][part], load(row[r] + i + 4 * part), values);
      }
    for (size_t r = 0; r < kRows && first + r < n; ++r)
      out[first + r] =
          sum_of(vaddq_f32(vaddq_f32(sum[r][0], sum[r][2]), vaddq_f32(sum[r][1], sum[r][3])));
  }
}

// Adds two products per 16-bit lane, then pairs of lanes to 32 bits.
int32x4_t add_products(int32x4_t sum, int8x16_t a, int8x16_t b) {
  const int16x8_t products = vmull_s8(vget_low_s8(a), vget_low_s8(b));
  return vpadalq_s16(sum, vmlal_s8(products, vget_high_s8(a), vget_high_s8(b)));
}

void dot_int8(const int8_t* rows, size_t n, size_t pitch, size_t length, const int8_t* x,
              int32_t* out) {
  for (size_t first = 0; first < n; first += kRows) {
    const int8_t* row[kRows];
    start_rows(rows, first, n, pitch, row);
    int32x4_t sum[kRows][2];
    for (size_t r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = vdupq_n_s32(0);
    for (size_t i = 0; i < length; i += 32)
      for (size_t part = 0; part < 2; ++part) {
        const int8x16_t values = vld1q_s8(x + i + 16 * part);
        for (size_t r = 0; r < kRows; ++r)
          sum[r][part] = add_products(sum[r][part], vld1q_s8(row[r] + i + 16 * part), values);
      }
    for (size_t r = 0; r < kRows && first + r < n; ++r)
      out[first + r] = sum_of(vaddq_s32(sum[r][0], sum[r][1]));
  }
}

// kVectors times 4 columns, whose sums stay in registers during the loop over rows.
template <size_t kVectors>
void combine_columns(const float* rows, size_t n, size_t pitch, const float* factors, float* out) {
  float32x4_t sum[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sum[v] = vdupq_n_f32(0);
  for (size_t r = 0; r < n; ++r) {
    const float32x4_t factor = vdupq_n_f32(factors[r]);
    for (size_t v = 0; v < kVectors; ++v)
      sum[v] = add_product(sum[v], factor, load(rows + r * pitch + 4 * v));
  }
  for (size_t v = 0; v < kVectors; ++v) vst1q_f32(out + 4 * v, sum[v]);
}

void combine(const float* rows, size_t n, size_t pitch, size_t length, const float* factors,
             float* out) {
  size_t i = 0;
  for (; i + 32 <= length; i += 32) combine_columns<8>(rows + i, n, pitch, factors, out + i);
  for (; i < length; i += 8) combine_columns<2>(rows + i, n, pitch, factors, out + i);
}

#if defined(__aarch64__)
constexpr bool kSubnormals = true;
#else
constexpr bool kSubnormals = false;
#endif

}  // namespace

Kernels neon_kernels() {
  return {"neon", kSubnormals, dot_floats<float>, dot_floats<uint16_t>, dot_int8, combine};
}

}  // namespace bzscr::rt
