#pragma once

#include "types/linalg.h"

#include <type_traits>

namespace bzscr {

/// Rows that the vector loops see are padded with zeros to a multiple of this; in double there are
/// none.
template <class Scalar>
constexpr Index kLanes = std::is_same_v<Scalar, float> ? 16 : 1;

/// n, rounded up to whole vectors.
template <class Scalar>
constexpr Index whole_vectors(Index n) {
  return (n + kLanes<Scalar> - 1) / kLanes<Scalar> * kLanes<Scalar>;
}

}  // namespace bzscr
