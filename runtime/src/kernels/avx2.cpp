#include "kernels.h"

#include <immintrin.h>

namespace bzscr::rt {
namespace {

constexpr size_t kRows = 4;  // rows at once: their sums do not depend on one another

__m256 load(const float* values) { return _mm256_loadu_ps(values); }
__m256 load(const uint16_t* halves) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
}

// The sum of the 8 lanes of each of four vectors; adds lanes 4, then 2, then 1 apart.
__m128 sums(__m256 a, __m256 b, __m256 c, __m256 d) {
  const __m256 ab =
      _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
  const __m256 cd =
      _mm256_add_ps(_mm256_permute2f128_ps(c, d, 0x20), _mm256_permute2f128_ps(c, d, 0x31));
  const __m256 pairs =
      _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE));
  const __m256 all =
      _mm256_add_ps(_mm256_shuffle_ps(pairs, pairs, 0x88), _mm256_shuffle_ps(pairs, pairs, 0xDD));
  return _mm_unpacklo_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
}

__m128i sums(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i ab_cd = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  return _mm_add_epi32(_mm256_castsi256_si128(ab_cd), _mm256_extracti128_si256(ab_cd, 1));
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
    __m256 low[kRows] = {};
    __m256 high[kRows] = {};
    size_t i = 0;
    for (; i + 16 <= length; i += 16)
      for (size_t r = 0; r < kRows; ++r) {
        low[r] = _mm256_add_ps(low[r], _mm256_mul_ps(load(row[r] + i), load(x + i)));
        high[r] = _mm256_add_ps(high[r], _mm256_mul_ps(load(row[r] + i + 8), load(x + i + 8)));
      }
    if (i < length)
      for (size_t r = 0; r < kRows; ++r)
        low[r] = _mm256_add_ps(low[r], _mm256_mul_ps(load(row[r] + i), load(x + i)));
    for (size_t r = 0; r < kRows; ++r) low[r] = _mm256_add_ps(low[r], high[r]);
    alignas(16) float four[kRows];
    _mm_store_ps(four, sums(low[0], low[1], low[2], low[3]));
    for (size_t r = 0; r < kRows && first + r < n; ++r) out[first + r] = four[r];
  }
}

// Multiplies |x| by the row with the sign of x: maddubs takes one unsigned factor.
void dot_int8(const int8_t* rows, size_t n, size_t pitch, size_t length, const int8_t* x,
              int32_t* out) {
  const __m256i ones = _mm256_set1_epi16(1);
  for (size_t first = 0; first < n; first += kRows) {
    const int8_t* row[kRows];
    start_rows(rows, first, n, pitch, row);
    __m256i sum[kRows] = {};
    for (size_t i = 0; i < length; i += 32) {
      const __m256i values = _mm256_load_si256(reinterpret_cast<const __m256i*>(x + i));
      const __m256i sizes = _mm256_abs_epi8(values);
      for (size_t r = 0; r < kRows; ++r) {
        const __m256i signs = _mm256_sign_epi8(
            _mm256_load_si256(reinterpret_cast<const __m256i*>(row[r] + i)), values);
        sum[r] =
            _mm256_add_epi32(sum[r], _mm256_madd_epi16(_mm256_maddubs_epi16(sizes, signs), ones));
      }
    }
    alignas(16) int32_t four[kRows];
    _mm_store_si128(reinterpret_cast<__m128i*>(four), sums(sum[0], sum[1], sum[2], sum[3]));
    for (size_t r = 0; r < kRows && first + r < n; ++r) out[first + r] = four[r];
  }
}

// kVectors times 8 columns, whose sums stay in registers during the loop over rows.
template <size_t kVectors>
void combine_columns(const float* rows, size_t n, size_t pitch, const float* factors, float* out) {
  __m256 sum[kVectors] = {};
  for (size_t r = 0; r < n; ++r) {
    const __m256 factor = _mm256_set1_ps(factors[r]);
    for (size_t v = 0; v < kVectors; ++v)
      sum[v] = _mm256_add_ps(sum[v], _mm256_mul_ps(factor, load(rows + r * pitch + 8 * v)));
  }
  for (size_t v = 0; v < kVectors; ++v) _mm256_store_ps(out + 8 * v, sum[v]);
}

void combine(const float* rows, size_t n, size_t pitch, size_t length, const float* factors,
             float* out) {
  size_t i = 0;
  for (; i + 64 <= length; i += 64) combine_columns<8>(rows + i, n, pitch, factors, out + i);
  for (; i < length; i += 8) combine_columns<1>(rows + i, n, pitch, factors, out + i);
}

}  // namespace

Kernels avx2_kernels() {
  return {"avx2", true, dot_floats<float>, dot_floats<uint16_t>, dot_int8, combine};
}

}  // namespace bzscr::rt
