#include "kernels.h"

#include <immintrin.h>

namespace bzscr::rt {
namespace {

constexpr size_t kRows = 8;  // rows at once: their sums do not depend on one another

__m512 load(const float* values) { return _mm512_loadu_ps(values); }
__m512 load(const uint16_t* halves) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves)));
}

// The last 8 values of a row, and 8 zeros, which do not change a sum.
__m512 load_half(const float* values) { return _mm512_maskz_loadu_ps(0xFF, values); }
__m512 load_half(const uint16_t* halves) {
  return _mm512_cvtph_ps(
      _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves))));
}

__m512 add(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
__m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
template <int kOrder>
__m512 quarters(__m512 a, __m512 b) {
  return _mm512_shuffle_f32x4(a, b, kOrder);
}
template <int kOrder>
__m512i quarters(__m512i a, __m512i b) {
  return _mm512_shuffle_i32x4(a, b, kOrder);
}
template <int kOrder>
__m512 within(__m512 a, __m512 b) {
  return _mm512_shuffle_ps(a, b, kOrder);
}
template <int kOrder>
__m512i within(__m512i a, __m512i b) {
  return _mm512_castps_si512(
      _mm512_shuffle_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), kOrder));
}

// Reduces the 16 lanes of each of four rows to 4, one row per quarter; adds lanes 8, then 4 apart.
template <class Vector>
Vector four_sums(const Vector* sum) {
  const Vector ab = add(quarters<0x44>(sum[0], sum[1]), quarters<0xEE>(sum[0], sum[1]));
  const Vector cd = add(quarters<0x44>(sum[2], sum[3]), quarters<0xEE>(sum[2], sum[3]));
  return add(quarters<0x88>(ab, cd), quarters<0xDD>(ab, cd));
}

// The sums of eight rows; adds lanes 2, then 1 apart. The sum of row r is in lane 4 r, that of row
// r + 4 in the next lane.
template <class Vector>
Vector eight_sums(const Vector* sum) {
  const Vector first = four_sums(sum);
  const Vector last = four_sums(sum + 4);
  const Vector pairs = add(within<0x44>(first, last), within<0xEE>(first, last));
  return add(within<0x88>(pairs, pairs), within<0xDD>(pairs, pairs));
}

__m512i in_order() { return _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 0, 0, 0, 0, 0, 0, 0); }

__mmask8 rows_left(size_t left) {
  return static_cast<__mmask8>(left >= kRows ? 0xFF : (1u << left) - 1);
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
    __m512 sum[kRows];
    for (size_t r = 0; r < kRows; ++r) sum[r] = _mm512_setzero_ps();
    size_t i = 0;
    for (; i + 16 <= length; i += 16) {
      const __m512 values = load(x + i);
      for (size_t r = 0; r < kRows; ++r)
        sum[r] = _mm512_add_ps(sum[r], _mm512_mul_ps(load(row[r] + i), values));
    }
    if (i < length) {
      const __m512 values = load_half(x + i);
      for (size_t r = 0; r < kRows; ++r)
        sum[r] = _mm512_add_ps(sum[r], _mm512_mul_ps(load_half(row[r] + i), values));
    }
    const __m512 eight = _mm512_permutexvar_ps(in_order(), eight_sums(sum));
    _mm256_mask_storeu_ps(out + first, rows_left(n - first), _mm512_castps512_ps256(eight));
  }
}

// vpdpbusd takes one unsigned factor: 128 is added to the values of the rows, and 128 times the sum
// of x is subtracted from the result.
void dot_int8(const int8_t* rows, size_t n, size_t pitch, size_t length, const int8_t* x,
              int32_t* out) {
  const __m512i up = _mm512_set1_epi8(-128);
  const size_t whole = length / 64 * 64;
  const __mmask64 rest = length == whole ? 0 : 0xFFFFFFFFu;  // the last 32 values
  __m512i x_sums = _mm512_setzero_si512();
  for (size_t i = 0; i < length; i += 64)
    x_sums = _mm512_dpbusd_epi32(x_sums, up,
                                 _mm512_maskz_loadu_epi8(i < whole ? ~__mmask64{0} : rest, x + i));
  const __m256i surplus = _mm256_set1_epi32(_mm512_reduce_add_epi32(x_sums));

  for (size_t first = 0; first < n; first += kRows) {
    const int8_t* row[kRows];
    start_rows(rows, first, n, pitch, row);
    __m512i sum[kRows];
    for (size_t r = 0; r < kRows; ++r) sum[r] = _mm512_setzero_si512();
    for (size_t i = 0; i < whole; i += 64) {
      const __m512i values = _mm512_loadu_si512(x + i);
      for (size_t r = 0; r < kRows; ++r)
        sum[r] = _mm512_dpbusd_epi32(sum[r], _mm512_xor_si512(_mm512_loadu_si512(row[r] + i), up),
                                     values);
    }
    if (rest != 0) {
      const __m512i values = _mm512_maskz_loadu_epi8(rest, x + whole);
      for (size_t r = 0; r < kRows; ++r)
        sum[r] = _mm512_dpbusd_epi32(
            sum[r], _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, row[r] + whole), up), values);
    }
    const __m512i eight = _mm512_permutexvar_epi32(in_order(), eight_sums(sum));
    _mm256_mask_storeu_epi32(out + first, rows_left(n - first),
                             _mm256_sub_epi32(_mm512_castsi512_si256(eight), surplus));
  }
}

// kVectors times 16 columns, whose sums stay in registers during the loop over rows.
template <size_t kVectors>
void combine_columns(const float* rows, size_t n, size_t pitch, __mmask16 columns,
                     const float* factors, float* out) {
  __m512 sum[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sum[v] = _mm512_setzero_ps();
  for (size_t r = 0; r < n; ++r) {
    const __m512 factor = _mm512_set1_ps(factors[r]);
    for (size_t v = 0; v < kVectors; ++v) {
      const __m512 values = _mm512_maskz_loadu_ps(columns, rows + r * pitch + 16 * v);
      sum[v] = _mm512_add_ps(sum[v], _mm512_mul_ps(factor, values));
    }
  }
  for (size_t v = 0; v < kVectors; ++v) _mm512_mask_storeu_ps(out + 16 * v, columns, sum[v]);
}

void combine(const float* rows, size_t n, size_t pitch, size_t length, const float* factors,
             float* out) {
  size_t i = 0;
  for (; i + 128 <= length; i += 128)
    combine_columns<8>(rows + i, n, pitch, 0xFFFF, factors, out + i);
  for (; i + 16 <= length; i += 16)
    combine_columns<1>(rows + i, n, pitch, 0xFFFF, factors, out + i);
  if (i < length) combine_columns<1>(rows + i, n, pitch, 0xFF, factors, out + i);
}

}  // namespace

Kernels avx512_kernels() {
  return {"avx512", true, dot_floats<float>, dot_floats<uint16_t>, dot_int8, combine};
}

}  // namespace bzscr::rt
