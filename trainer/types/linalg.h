#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

/// The matrix types of the trainer. Samples and classes are rows; storage is row-major throughout,
/// as in the files, so that a block of samples is one piece of memory.
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
