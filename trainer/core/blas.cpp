#include "core/blas.h"

#include "types/linalg.h"

#include <array>

extern "C" int openblas_get_num_threads();
extern "C" const char* openblas_get_corename();
extern "C" const char* openblas_get_config();

namespace bzscr {
namespace {

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

int blas_threads() { return openblas_get_num_threads(); }

std::string blas_kernels() { return openblas_get_corename(); }

std::string blas_description() {
  return std::string(openblas_get_config()) + "; " + blas_kernels() + " kernels";
}

bool blas_is_correct() { return is_correct<float>() && is_correct<double>(); }

}  // namespace bzscr
