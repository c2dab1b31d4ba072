#include "kernels.h"

#include <arm_neon.h>

namespace bzscr::rt {
namespace {

constexpr size_t kRows = 4;  // rows at once: their sums do not depend on one another

void dot_int8(const int8_t* rows, size_t n, size_t pitch, size_t length, const int8_t* x,
              int32_t* out) {
  for (size_t first = 0; first < n; first += kRows) {
    const int8_t* row[kRows];  // past the last row: the last one again
    int32x4_t sum[kRows][2];
    for (size_t r = 0; r < kRows; ++r) {
      row[r] = rows + (first + r < n ? first + r : n - 1) * pitch;
      sum[r][0] = sum[r][1] = vdupq_n_s32(0);
    }
    for (size_t i = 0; i < length; i += 32)
      for (size_t part = 0; part < 2; ++part) {
        const int8x16_t values = vld1q_s8(x + i + 16 * part);
        for (size_t r = 0; r < kRows; ++r)
          sum[r][part] = vdotq_s32(sum[r][part], vld1q_s8(row[r] + i + 16 * part), values);
      }
    for (size_t r = 0; r < kRows && first + r < n; ++r)
      out[first + r] = vaddvq_s32(vaddq_s32(sum[r][0], sum[r][1]));
  }
}

}  // namespace

// SDOT applies to int8 only; the other loops are those of neon.cpp.
Kernels neon_dotprod_kernels() {
  Kernels kernels = neon_kernels();
  kernels.name = "neon-dotprod";
  kernels.dot_int8 = dot_int8;
  return kernels;
}

}  // namespace bzscr::rt
