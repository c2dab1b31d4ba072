#pragma once

#include "arithmetic.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// The loops that differ per instruction set; their callers are portable. All but the last compute
/// out[r] = row r . x, for n rows that start `pitch` values apart.
///
/// All kernels give the same bits. Floats are summed in one order: product i is added to sum
/// i mod 16, each product is rounded before it is added, and the 16 sums are added in halves: s and
/// s + 8, then 4, 2, 1 apart. This rules out fused multiply-adds, at no measurable cost: reading
/// the rows from memory takes longer than the arithmetic.
struct Kernels {
  const char* name;

  /// Whether numbers below 2^-126 are kept. ARMv7's NEON treats them as zero, so that its sums of
  /// floats may differ from the others'.
  bool subnormals;

  /// \param length  floats of a row and of x; a multiple of 8, which keeps tail loops simple
  /// \param rows    aligned to 32 bytes; the model's own matrices only to 4
  /// \param x       aligned to 32 bytes
  void (*dot_float32)(const float* rows, size_t n, size_t pitch, size_t length, const float* x,
                      float* out);

  /// Half floats, none of them subnormal, infinite or NaN.
  /// \param length  as above; rows aligned to 16 bytes
  void (*dot_float16)(const uint16_t* rows, size_t n, size_t pitch, size_t length, const float* x,
                      float* out);

  /// Values from -127 to 127, so that the sum of two products fits 16 bits.
  /// \param length  a multiple of 32, at most 2^17, so that sums fit 32 bits; rows and x aligned to
  ///   32 bytes
  void (*dot_int8)(const int8_t* rows, size_t n, size_t pitch, size_t length, const int8_t* x,
                   int32_t* out);

  /// out[i] = sum_r factors[r] row r[i], in the order of the n rows.
  /// \param length  as for dot_float32, out as x there
  void (*combine)(const float* rows, size_t n, size_t pitch, size_t length, const float* factors,
                  float* out);
};

/// The reference implementation; built everywhere.
Kernels scalar_kernels();

// Each is built only for processors whose architecture has the instruction set, and may be called
// only if this processor has it.
Kernels avx2_kernels();          ///< x86-64: AVX2, F16C
Kernels avx512_kernels();        ///< x86-64: AVX-512 F, BW, VL, VNNI
Kernels neon_kernels();          ///< AArch64; ARMv7 with NEON and VFPv4
Kernels neon_dotprod_kernels();  ///< AArch64 with SDOT

/// The kernels that this processor runs, best first; false if index is past the last one.
bool usable_kernels(size_t index, Kernels* kernels);

/// The best of them or, if name is not null, the one with this name; false if this processor does
/// not run it.
bool select_kernels(const char* name, Kernels* kernels);

}  // namespace bzscr::rt
