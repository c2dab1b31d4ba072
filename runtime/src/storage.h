#pragma once

#include "bzscr_rt/bzscr_rt.h"
#include "kernels/kernels.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// How the values of a class's row are kept. A row is scaled by itself, where it is scaled at all:
///
///   float32   as they are
///   int8      value = scale q, |q| <= 127, scale = largest / 127; a query likewise, so a score is
///   an integer
///             sum times two scales
///   float16   value = scale h, with a power of two that puts the largest in [2^14, 2^15); what is
///   then below
///             2^-14, 2^-28 of the largest, is 0
///
/// All of it is done by portable code, in one order: the same bits on every machine.

/// Longest row of int8: sums fit 32 bits, 2^17 127^2 < 2^31.
inline constexpr uint32_t kLongestInt8 = 1u << 17;

const char* storage_name(bzscr_rt_storage storage);

struct RowFormat {
  bzscr_rt_storage storage;
  uint32_t width;  ///< values
  size_t bytes;    ///< from a row to the next; a multiple of 32, zeros past the row's end

  bool scaled() const { return storage != BZSCR_RT_STORAGE_FLOAT32; }  ///< whether rows have scales
};

RowFormat row_format(bzscr_rt_storage storage, uint32_t width);

uint64_t bytes_of_value(bzscr_rt_storage storage);

/// \param values  format.width floats
/// \param out     format.bytes, 32-byte aligned
/// \return        the row's scale; 1 where it has none
float store_row(const RowFormat& format, const float* values, void* out);

/// What meets the rows: floats padded with zeros to a multiple of 8 or, for int8, a stored row.
struct Query {
  const void* values;
  float scale;
};

/// scores[r] for n rows side by side.
/// \param scales  n; not read where rows have none
void score_rows(const RowFormat& format, const Kernels& kernels, const unsigned char* rows,
                const float* scales, size_t n, const Query& query, float* scores);

}  // namespace bzscr::rt
