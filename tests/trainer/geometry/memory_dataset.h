#pragma once

#include "data/dataset.h"

namespace bzscr::test {

/// A data set that never was in a file, so that a test can put into it what the reader would
/// refuse. Classes "class 0", "class 1", ...; sample i is of class i % C and follows its embedding.
struct MemoryDataset {
  MemoryDataset(Index N, Index m, Index d, Index C, std::vector<Index> unseen);
  MemoryDataset(const MemoryDataset&) = delete;
  MemoryDataset& operator=(const MemoryDataset&) = delete;

  /// The row lengths, after a change of features.
  void measure();

  MatrixF features;
  Dataset data;
};

}  // namespace bzscr::test
