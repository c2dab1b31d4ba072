#pragma once

#include "types/problem.h"

namespace bzscr {

/// Gives blocks of samples as matrices, one block at a time: straight from the file where it
/// already holds that type in consecutive rows, else converted into a buffer of one block. Rows are
/// as in the file: `scale` is the caller's to apply, to something smaller than the block.
template <class Scalar>
class FeatureBlocks {
 public:
  using Block = Eigen::Map<const RowMatrix<Scalar>>;

  explicit FeatureBlocks(const Samples& samples) : samples_(samples) {}

  /// Samples [first, first + count). Valid until the next call; not for two threads at once.
  Block read(Index first, Index count);

 private:
  const Samples& samples_;
  RowMatrix<Scalar> buffer_;
};

}  // namespace bzscr
