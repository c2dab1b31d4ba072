#pragma once

#include <cstdint>

namespace bzscr {

/// The scaling of raw inputs. The trainer applies it and records it in the model; the runtime
/// repeats it on the device.
enum class FeatureScaling : std::uint8_t {
  kNone,
  kUnit,  ///< divided by its Euclidean length
};

enum class EmbeddingScaling : std::uint8_t {
  kNone,
  kUnit,        ///< divided by its Euclidean length
  kCentreUnit,  ///< minus the centre (mean embedding of the seen classes), then as kUnit
};

}  // namespace bzscr
