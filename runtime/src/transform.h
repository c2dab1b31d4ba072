#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// Inputs, ensemble weights and penalties are no longer than this where nothing scales them. No
/// score, and nothing on the way to one, can then overflow: k 2^30 2^30 2^30 < 2^122 for any k.
constexpr float kLongest = 1073741824.0f;  // 2^30

/// What takes a raw input to what training saw: value i becomes (raw[i] - centre[i]) power rest.
struct Scale {
  float power;  ///< of two: 1 but for inputs whose squares would overflow or vanish
  float rest;
};

/// The scale of a raw input of n values. `centre` is null but for CENTRE_UNIT.
/// NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE if there is none.
bzscr_rt_status find_scale(const float* raw, const float* centre, size_t n,
                           bzscr_rt_scaling scaling, Scale* scale);

/// Writes the n values of x, scaled, and zeros after them up to a multiple of 8.
void apply_scale(const float* x, size_t n, Scale scale, float* out);

/// What is done to raw embeddings: to each part, one after the other, as find_scale() says.
struct EmbeddingTransform {
  bzscr_rt_scaling scaling;
  const float* centre;  ///< d; null but for CENTRE_UNIT
  size_t d;
  const uint32_t* parts;  ///< lengths that add up to d; null: one part
  size_t part_count;      ///< at least 1
};

/// What stands against transforming a raw embedding: NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE.
bzscr_rt_status check_embedding(const EmbeddingTransform& transform, const float* raw);

/// Writes d values, transformed, and zeros after them up to a multiple of 8.
/// \param raw  passed check_embedding()
void transform_embedding(const EmbeddingTransform& transform, const float* raw, float* out);

/// 2^e with value 2^e in [1, 2), or as near as a normal 2^e comes, for a value > 0: to scale by
/// without rounding.
float power_to_one(float value);

/// Length of n values, for values whose squares neither overflow nor vanish; NaN or infinity if one
/// of them is.
float plain_length(const float* values, size_t n);

}  // namespace bzscr::rt
