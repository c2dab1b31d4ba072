#include "core/blas.h"

#include "types/linalg.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" int openblas_get_num_threads();
extern "C" const char* openblas_get_corename();
extern "C" const char* openblas_get_config();
// Not in OpenBLAS' headers, so a build may keep them to itself.
extern "C" __attribute__((weak)) void* blas_memory_alloc(int);
extern "C" __attribute__((weak)) void blas_memory_free(void*);

namespace bzscr {
namespace {

/// The size of a buffer in the builds that have the largest ones, and the page that it is aligned
/// to.
constexpr std::size_t kBufferBytes = (std::size_t{32} << 22) + (std::size_t{1} << 16);

bool is_free(std::size_t bytes) {
  void* volatile at = std::malloc(bytes);  // volatile: or else the compiler may leave both out
  std::free(at);
  return at != nullptr;
}

template <class Scalar>
RowMatrix<Scalar> pattern(Index rows, Index columns) {
  RowMatrix<Scalar> out(rows, columns);
  for (Index i = 0; i < out.size(); ++i)
    out.data()[i] = static_cast<Scalar>((i * 7919) % 101 - 50) / 64;
  return out;
}

/// Whether P = L R: compares P v with L (R v).
template <class Product, class Left, class Right>
bool is_product(const Product& P, const Left& L, const Right& R) {
  Vector r(P.cols());
  for (Index j = 0; j < r.size(); ++j) r[j] = static_cast<double>(1 + j * 31 % 97);
  const Vector Rr = R.template cast<double>().lazyProduct(r);
  const Vector expected = L.template cast<double>().lazyProduct(Rr);
  const Vector found = P.template cast<double>().lazyProduct(r);
  return (found - expected).cwiseAbs().maxCoeff() <= 1e-4;
}

// The pattern's sums are exact in Scalar, so any difference is an error.
template <class Scalar>
bool is_correct() {
  const std::array<Index, 3> shapes[] = {
      {1, 1, 1}, {7, 33, 5}, {37, 130, 19}, {129, 257, 48}, {512, 96, 35}};
  for (const auto& [n, m, k] : shapes) {
    const RowMatrix<Scalar> X = pattern<Scalar>(n, m), A = pattern<Scalar>(m, k),
                            B = pattern<Scalar>(n, k);
    RowMatrix<Scalar> XA(n, k), XtB(m, k), XXt(n, n);
    XA.noalias() = X * A;
    XtB.noalias() = X.transpose() * B;
    XXt.noalias() = X * X.transpose();
    if (!is_product(XA, X, A) || !is_product(XtB, X.transpose(), B) ||
        !is_product(XXt, X, X.transpose()))
      return false;
  }
  return true;
}

}  // namespace

// On the threads that will multiply: some builds have buffers for each thread. All are taken before
// the first is returned, so that they are different ones.
void reserve_blas_buffers(int threads) {
  static std::atomic<int> kept{0};  // by earlier calls
  if (blas_memory_alloc == nullptr || blas_memory_free == nullptr || threads <= kept) return;
  int taken = 0;
  bool is_short = false;
#pragma omp parallel num_threads(threads)
  {
    void* buffer = nullptr;
#pragma omp critical(blas_buffers)
    if (!is_short) {
      is_short = taken >= kept && !is_free(kBufferBytes);
      if (!is_short) buffer = blas_memory_alloc(0), ++taken;
    }
#pragma omp barrier
    if (buffer != nullptr) blas_memory_free(buffer);
  }
  kept = std::max<int>(kept, taken);
  if (is_short) throw std::bad_alloc();
}

int blas_threads() { return openblas_get_num_threads(); }

std::string blas_kernels() { return openblas_get_corename(); }

std::string blas_description() {
  return std::string(openblas_get_config()) + "; " + blas_kernels() + " kernels";
}

bool blas_is_correct() { return is_correct<float>() && is_correct<double>(); }

}  // namespace bzscr
