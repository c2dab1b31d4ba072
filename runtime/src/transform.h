#pragma once

#include "bzscr_rt/bzscr_rt.h"
#include "kernels/arithmetic.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// Largest length of an input that is not scaled, and largest ensemble weight and penalty. Then no
/// score and no intermediate result can overflow: k 2^30 2^30 2^30 < 2^122 for any k.
constexpr float kLongest = 1073741824.0f;  // 2^30

/// A raw input before it is scaled as a whole: value i is (raw[i] - centre[i]) * factor[i]. One type
/// for all kinds, so that the code exists once; where the compiler optimises for speed it takes the
/// branches out of the loops.
struct Input {
  const float* raw;
  const float* centre;  ///< null: zeros
  const float* factor;  ///< null: ones, or there is no centre either
  float operator()(size_t i) const {
    return centre == nullptr   ? raw[i]
           : factor == nullptr ? raw[i] - centre[i]
                               : (raw[i] - centre[i]) * factor[i];
  }
};

/// Transforms an input as training did: each value is multiplied by power * rest.
struct Scale {
  float power;  ///< a power of two; 1 unless the squares of the input would overflow or underflow
  float rest;
};

/// The scale of n values. NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE if they cannot be scaled.
bzscr_rt_status find_scale(const Input& input, size_t n, bzscr_rt_scaling scaling, Scale* scale);

/// The scale that makes n finite values a unit vector; zeros if all values are zero.
Scale unit_scale(const float* values, size_t n);

/// Writes the n scaled values, padded with zeros to a multiple of 8. `out` may be the input.
void apply_scale(const Input& input, size_t n, Scale scale, float* out);

/// Euclidean length of n finite values, as large or small as they may be.
float length_of(const float* values, size_t n);

/// The transform of raw embeddings. Each part is centred and scaled on its own, see find_scale().
struct EmbeddingTransform {
  bzscr_rt_scaling scaling;
  const float* centre;  ///< d; null unless scaling is CENTRE_UNIT
  size_t d;
  const uint32_t* parts;  ///< lengths that add up to d; null: one part
  size_t part_count;      ///< at least 1
};

/// Whether a raw embedding can be transformed: OK, NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE.
bzscr_rt_status check_embedding(const EmbeddingTransform& transform, const float* raw);

/// Whether all values of a part of a raw embedding are zero, as if there were none. Such a part may
/// have a direction once it is centred, and check_embedding() then accepts it.
bool has_zero_part(const EmbeddingTransform& transform, const float* raw);

/// Writes the d transformed values, padded with zeros to a multiple of 8.
/// \param raw  passed check_embedding()
void transform_embedding(const EmbeddingTransform& transform, const float* raw, float* out);

/// For a value > 0: the 2^e for which value * 2^e is in [1, 2), or the nearest normal 2^e. Scaling
/// by it does not round.
float power_to_one(float value);

/// Euclidean length of n values whose squares neither overflow nor underflow. NaN or infinity if a
/// value is.
float plain_length(const float* values, size_t n);

float square_root(float value);

}  // namespace bzscr::rt
