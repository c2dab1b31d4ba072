#pragma once

#include "types/problem.h"

namespace bzscr {

/// Reads blocks of samples as matrices, one block at a time. A block is a view of the file if the
/// file holds consecutive rows of type Scalar and the columns are not scaled; otherwise it is
/// converted into a buffer. The rows are neither scaled nor centred: the caller applies
/// Samples::scale and Samples::centre to a smaller matrix, such as the product.
template <class Scalar>
class FeatureBlocks {
 public:
  using Block = Eigen::Map<const RowMatrix<Scalar>>;

  explicit FeatureBlocks(const Samples& samples) : samples_(samples) {}

  /// Samples [first, first + count): count x m. The block is valid until the next call. Not
  /// thread-safe.
  Block read(Index first, Index count);

 private:
  const Samples& samples_;
  RowMatrix<Scalar> buffer_;
};

}  // namespace bzscr
