#include "core/products.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define BZSCR_AVX512
#include <immintrin.h>
#endif

namespace bzscr {
namespace {

#ifdef BZSCR_AVX512

constexpr Index kFloatsToLine = 16;

// Number of inner indices per pass over the rows of the result. Along rows of X (a step of 1) the
// narrow operand must stay in the second-level cache; across rows fewer, because rows that are a
// power of two apart map to few sets of that cache.
Index inner_of_a_pass(Index inner_step) { return inner_step == 1 ? 512 : 32; }

// Prefetches a cache line of x that may be past its end; hence the integer arithmetic, as such a
// pointer would be undefined.
__attribute__((target("avx512f"))) inline void prefetch(const float* x, Index at) {
  _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(x) +
                                             static_cast<std::uintptr_t>(at) * sizeof(float)),
               _MM_HINT_T1);
}

// Computes a tile of the result in registers: tile = sum_p x[p] b[p]. In x, rows of the tile are
// `row_step` and inner indices `inner_step` values apart; b has rows of `width` values, of which
// Vectors x 16 columns are used.
template <int Rows, int Vectors>
__attribute__((target("avx512f"))) inline void tile(const float* x, Index row_step,
                                                    Index inner_step, const float* b, Index width,
                                                    Index inner, bool add, float* out) {
  __m512 sum[Rows][Vectors];
#pragma GCC unroll 32
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      sum[r][v] = add ? _mm512_loadu_ps(out + r * width + 16 * v) : _mm512_setzero_ps();
  for (Index line = 0; line < inner; line += kFloatsToLine) {
    // Prefetch the rows of the next tile while this one is computed: X is read from memory only
    // here, once.
    if (inner_step == 1)
#pragma GCC unroll 32
      for (int r = 0; r < Rows; ++r) prefetch(x, (Rows + r) * row_step + line);
    const Index end = std::min(inner, line + kFloatsToLine);
    for (Index p = line; p < end; ++p) {
      __m512 row[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) row[v] = _mm512_loadu_ps(b + p * width + 16 * v);
#pragma GCC unroll 32
      for (int r = 0; r < Rows; ++r) {
        const __m512 scalar = _mm512_set1_ps(x[r * row_step + p * inner_step]);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) sum[r][v] = _mm512_fmadd_ps(scalar, row[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 32
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) _mm512_storeu_ps(out + r * width + 16 * v, sum[r][v]);
}

// Computes all rows of Vectors x 16 columns of the result: 24 of the 32 registers hold sums.
template <int Vectors>
__attribute__((target("avx512f"))) void panel(const float* x, Index row_step, Index inner_step,
                                              const float* b, Index width, Index rows, Index inner,
                                              float* out) {
  constexpr int Rows = 24 / Vectors;
  const Index pass = inner_of_a_pass(inner_step);
  for (Index p = 0; p < inner; p += pass) {
    const Index count = std::min(pass, inner - p);
    const float* xp = x + p * inner_step;
    const float* bp = b + p * width;
    Index r = 0;
    for (; r + Rows <= rows; r += Rows)
      tile<Rows, Vectors>(xp + r * row_step, row_step, inner_step, bp, width, count, p > 0,
                          out + r * width);
    for (; r + 4 <= rows; r += 4)
      tile<4, Vectors>(xp + r * row_step, row_step, inner_step, bp, width, count, p > 0,
                       out + r * width);
    for (; r < rows; ++r)
      tile<1, Vectors>(xp + r * row_step, row_step, inner_step, bp, width, count, p > 0,
                       out + r * width);
  }
}

void multiply(const float* x, Index row_step, Index inner_step, const float* b, Index width,
              Index rows, Index inner, float* out) {
  for (Index c = 0; c < width;) {
    const Index left = (width - c) / kLanes<float>;  // vectors
    const Index take = left == 4 || left == 8 ? 4 : std::min<Index>(left, 3);
    switch (take) {
      case 1: panel<1>(x, row_step, inner_step, b + c, width, rows, inner, out + c); break;
      case 2: panel<2>(x, row_step, inner_step, b + c, width, rows, inner, out + c); break;
      case 3: panel<3>(x, row_step, inner_step, b + c, width, rows, inner, out + c); break;
      default: panel<4>(x, row_step, inner_step, b + c, width, rows, inner, out + c); break;
    }
    c += take * kLanes<float>;
  }
}

const bool has_avx512 = __builtin_cpu_supports("avx512f");

#else
const bool has_avx512 = false;
void multiply(const float*, Index, Index, const float*, Index, Index, Index, float*) {}
#endif

// out = x b with the given distances of rows and inner indices in x. Returns false if BLAS must
// compute the product.
bool own_product(const float* x, Index row_step, Index inner_step, const MatrixF& b, Index rows,
                 MatrixF& out) {
  if (!has_avx512 || b.rows() == 0 || b.cols() % kLanes<float> != 0) return false;
  out.resize(rows, b.cols());
  multiply(x, row_step, inner_step, b.data(), b.cols(), rows, b.rows(), out.data());
  return true;
}
bool own_product(const double*, Index, Index, const Matrix&, Index, Matrix&) { return false; }

}  // namespace

template <class Scalar>
void times(const Block<Scalar>& X, const RowMatrix<Scalar>& A, RowMatrix<Scalar>& out,
           ProductKernel kernel) {
  if (kernel == ProductKernel::kBlas ||
      !own_product(X.data(), X.outerStride(), 1, A, X.rows(), out))
    out.noalias() = X * A;
}

template <class Scalar>
void transposed_times(const Block<Scalar>& X, const RowMatrix<Scalar>& R, RowMatrix<Scalar>& out,
                      ProductKernel kernel) {
  if (kernel == ProductKernel::kBlas ||
      !own_product(X.data(), 1, X.outerStride(), R, X.cols(), out))
    out.noalias() = X.transpose() * R;
}

const char* product_kernel() { return has_avx512 ? "avx512" : "blas"; }

template void times(const Block<float>&, const RowMatrix<float>&, RowMatrix<float>&, ProductKernel);
template void times(const Block<double>&, const RowMatrix<double>&, RowMatrix<double>&,
                    ProductKernel);
template void transposed_times(const Block<float>&, const RowMatrix<float>&, RowMatrix<float>&,
                               ProductKernel);
template void transposed_times(const Block<double>&, const RowMatrix<double>&, RowMatrix<double>&,
                               ProductKernel);

}  // namespace bzscr
