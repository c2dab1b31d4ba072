#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <random>

namespace bzscr {

/// Normal numbers, the same for one seed, in columns of unit length: weak models to measure with.
inline Matrix unit_columns(Index rows, Index columns, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> value;
  Matrix matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = value(random);
  matrix.colwise().normalize();
  return matrix;
}

}  // namespace bzscr
