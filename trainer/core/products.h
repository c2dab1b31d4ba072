#pragma once

#include "core/lanes.h"

namespace bzscr {

/// The two shapes of product that a block of samples needs: many samples, few columns.
///   times:             out = X A,    X n x m, A m x w
///   transposed_times:  out = X^T R,  X n x m, R n x w
/// With AVX-512 and w a multiple of kLanes<float>, by an own kernel that reads X where it lies:
/// BLAS packs both sides of every product, which at a few dozen columns takes a third of its time.
/// Else, and in double, by BLAS. Sums run in the order of the inner index, in blocks of fixed size.
template <class Scalar>
using Block = Eigen::Ref<const RowMatrix<Scalar>, 0, Eigen::OuterStride<>>;

template <class Scalar>
void times(const Block<Scalar>& X, const RowMatrix<Scalar>& A, RowMatrix<Scalar>& out);
template <class Scalar>
void transposed_times(const Block<Scalar>& X, const RowMatrix<Scalar>& R, RowMatrix<Scalar>& out);

/// What computes the products in float here: "avx512" or "blas". For benchmarks and tests.
const char* product_kernel();
/// Makes BLAS compute them whatever the machine has. Not while products are computed.
void force_blas_products(bool force);

}  // namespace bzscr
