#pragma once

#include <cstdint>

namespace bzscr {

/// What is done to a raw input before it is scored: in training first, then by the runtime on the
/// device, as the model records it.
enum class FeatureScaling : std::uint8_t {
  kNone,
  kUnit,  ///< divided by its Euclidean length
};

enum class EmbeddingScaling : std::uint8_t {
  kNone,
  kUnit,        ///< divided by its Euclidean length
  kCentreUnit,  ///< the centre (mean embedding of the seen classes) taken off, then as kUnit
};

}  // namespace bzscr
