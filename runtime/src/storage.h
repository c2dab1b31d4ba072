#pragma once

#include "bzscr_rt/bzscr_rt.h"
#include "kernels/kernels.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// How the values of a class's row are stored. Each row has its own scale, if the storage has one:
///
///   float32   the values themselves, without a scale
///   int8      value = scale q, |q| <= 127, scale = largest / 127. The query is stored likewise, so
///             a score is an integer sum times two scales.
///   float16   value = scale h; the scale is the power of two for which the largest h is in
///             [2^14, 2^15). A value below 2^-28 times the largest, so that |h| < 2^-14, becomes 0.
///
/// The conversion is portable code with a fixed order of operations, so it gives the same bits on
/// every machine.

/// Longest row of int8: the sum fits 32 bits, 2^17 127^2 < 2^31.
inline constexpr uint32_t kLongestInt8 = 1u << 17;

const char* storage_name(bzscr_rt_storage storage);

struct RowFormat {
  bzscr_rt_storage storage;
  uint32_t width;  ///< values
  size_t bytes;    ///< from one row to the next; a multiple of 32, zero past the last value

  bool scaled() const { return storage != BZSCR_RT_STORAGE_FLOAT32; }  ///< whether rows have scales
};

RowFormat row_format(bzscr_rt_storage storage, uint32_t width);

uint64_t bytes_of_value(bzscr_rt_storage storage);

/// \param values  format.width floats
/// \param out     format.bytes, 32-byte aligned
/// \return        the row's scale; 1 if the storage has none
float store_row(const RowFormat& format, const float* values, void* out);

/// The vector that the rows are multiplied by: floats, padded with zeros to a multiple of 8; for
/// int8, a stored row with its scale.
struct Query {
  const void* values;
  float scale;
};

/// scores[r] for n consecutive rows.
/// \param scales  n; not read if the storage has none
void score_rows(const RowFormat& format, const Kernels& kernels, const unsigned char* rows,
                const float* scales, size_t n, const Query& query, float* scores);

}  // namespace bzscr::rt
