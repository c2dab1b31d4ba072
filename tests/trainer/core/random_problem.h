#pragma once

#include "types/problem.h"

#include <vector>

namespace bzscr::test {

struct Shape {
  Index N, m, p, seen, targets;
};

/// A problem with random features, embeddings and divergences, and the memory that its features lie
/// in. Every third row of the file takes no part, lengths differ, and the last seen class has no
/// sample.
struct RandomProblem {
  explicit RandomProblem(const Shape& shape, unsigned seed = 1);
  RandomProblem(const RandomProblem&) = delete;
  RandomProblem& operator=(const RandomProblem&) = delete;

  MatrixF file;
  Problem problem;
};

/// Normal entries.
Matrix random_matrix(Index rows, Index columns, unsigned seed, double scale = 1);

/// In [0, 1], some exactly 0 and some exactly 1.
Vector random_sample_weights(Index N, unsigned seed = 1);

/// Sizes at which loops go wrong: around the block of 256 samples and the 16 lanes, no target class
/// or one, one sample, one dimension.
const std::vector<Shape>& awkward_shapes();

}  // namespace bzscr::test
