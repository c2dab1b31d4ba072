#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

/// The matrix types of the trainer. Samples and classes are rows. Storage is row-major, as in the
/// files, so that a block of samples is contiguous.
namespace bzscr {

using Index = Eigen::Index;

template <class Scalar>
using RowMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = RowMatrix<double>;
using MatrixF = RowMatrix<float>;
using Vector = Eigen::VectorXd;
using VectorF = Eigen::VectorXf;

using Labels = std::vector<std::int32_t>;  ///< class of each sample

}  // namespace bzscr
