#pragma once

#include "core/lanes.h"

namespace bzscr {

/// The two products of a block of samples, with many samples and few columns:
///   times:             out = X A,    X n x m, A m x w
///   transposed_times:  out = X^T R,  X n x m, R n x w
/// With AVX-512, in float and for w a multiple of kLanes<float>, a kernel of this library computes
/// them and reads X in place: BLAS packs both operands, which takes a third of its time at a few
/// dozen columns. In all other cases BLAS computes them. The order of summation is fixed.
template <class Scalar>
using Block = Eigen::Ref<const RowMatrix<Scalar>, 0, Eigen::OuterStride<>>;

/// Which implementation computes a product.
enum class ProductKernel {
  kBest,  ///< the own kernel where the machine and the sizes allow it
  kBlas,  ///< always BLAS: for benchmarks and tests
};

template <class Scalar>
void times(const Block<Scalar>& X, const RowMatrix<Scalar>& A, RowMatrix<Scalar>& out,
           ProductKernel kernel = ProductKernel::kBest);
template <class Scalar>
void transposed_times(const Block<Scalar>& X, const RowMatrix<Scalar>& R, RowMatrix<Scalar>& out,
                      ProductKernel kernel = ProductKernel::kBest);

/// The best implementation of the products in float on this machine: "avx512" or "blas".
const char* product_kernel();

}  // namespace bzscr
