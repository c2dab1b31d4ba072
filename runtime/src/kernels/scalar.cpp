#include "kernels.h"

namespace bzscr::rt {
namespace {

// Eight sums side by side: compilers turn them into vectors, and rounding grows with length / 8.
float dot(const float* a, const float* b, size_t length) {
  float sums[8] = {};
  for (size_t i = 0; i < length; i += 8)
    for (size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

void dot_rows(const float* rows, size_t n, size_t pitch, size_t length, const float* x, float* out) {
  for (size_t r = 0; r < n; ++r) out[r] = dot(rows + r * pitch, x, length);
}

constexpr Kernels kScalar = {"scalar", dot_rows};

}  // namespace

const Kernels& scalar_kernels() { return kScalar; }

}  // namespace bzscr::rt
