#pragma once

#include <cstdint>

namespace bzscr {

/// The scaling of raw inputs. The trainer applies it and records it in the model; the runtime
/// repeats it on the device.
enum class FeatureScaling : std::uint8_t {
  kNone,
  kUnit,      ///< divided by its Euclidean length
  kStandard,  ///< each column minus its mean, by its standard deviation; then as kUnit
};

enum class EmbeddingScaling : std::uint8_t {
  kNone,
  kUnit,        ///< divided by its Euclidean length
  kCentreUnit,  ///< minus the centre (mean embedding of the seen classes), then as kUnit
};

/// By which power of the length of its vector p_r = W phi_r the score x^T p_r of a class is divided.
enum class ScoreForm : std::uint8_t {
  kPlain,   ///< 0: the bilinear score of the paper
  kHalf,    ///< 1/2
  kCosine,  ///< 1: classes differ by the direction of p_r alone
};

}  // namespace bzscr
