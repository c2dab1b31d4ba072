#pragma once

#include "types/linalg.h"

#include <type_traits>

namespace bzscr {

/// Rows of float are padded with zeros to a multiple of this many values for the vector loops. Rows
/// of double are not padded.
template <class Scalar>
constexpr Index kLanes = std::is_same_v<Scalar, float> ? 16 : 1;

/// n, rounded up to a multiple of kLanes<Scalar>.
template <class Scalar>
constexpr Index whole_vectors(Index n) {
  return (n + kLanes<Scalar> - 1) / kLanes<Scalar> * kLanes<Scalar>;
}

}  // namespace bzscr
