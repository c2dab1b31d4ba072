#pragma once

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// The loops that differ per instruction set; everything above them is portable. All but the last
/// compute out[r] = row r . x, for n rows that start `pitch` values apart.
///
/// All kernels give the same bits. Sums of floats have one order: value i goes to sum i mod 16,
/// each product is rounded before it is added, and the 16 sums are added in halves: s and s + 8,
/// then 4, 2, 1 apart. That forbids fused multiply-adds and costs nothing: rows come from memory
/// slower than they are multiplied.
struct Kernels {
  const char* name;

  /// Whether numbers below 2^-126 count. ARMv7's NEON takes them for zero, and its sums of floats
  /// then differ.
  bool subnormals;

  /// \param length  floats of a row and of x; a multiple of 8, so tails are simple
  /// \param rows    aligned to 32 bytes or, in the model's own matrices, only to 4
  /// \param x       aligned to 32 bytes
  void (*dot_float32)(const float* rows, size_t n, size_t pitch, size_t length, const float* x,
                      float* out);

  /// Half floats, none of them subnormal, infinite or NaN.
  /// \param length  as above; rows aligned to 16 bytes
  void (*dot_float16)(const uint16_t* rows, size_t n, size_t pitch, size_t length, const float* x,
                      float* out);

  /// Values within +-127: sums of two products fit 16 bits.
  /// \param length  a multiple of 32, at most 2^17, so that sums fit 32 bits; rows and x aligned to
  ///   32 bytes
  void (*dot_int8)(const int8_t* rows, size_t n, size_t pitch, size_t length, const int8_t* x,
                   int32_t* out);

  /// out[i] = sum_r factors[r] row r[i], in the order of the n rows.
  /// \param length  as for dot_float32, out as x there
  void (*combine)(const float* rows, size_t n, size_t pitch, size_t length, const float* factors,
                  float* out);
};

/// Built everywhere: the definition of right.
Kernels scalar_kernels();

// Each built where its instruction set exists; to be called only where the processor has it.
Kernels avx2_kernels();          ///< x86-64: AVX2, F16C
Kernels avx512_kernels();        ///< x86-64: AVX-512 F, BW, VL, VNNI
Kernels neon_kernels();          ///< AArch64; ARMv7 with NEON and VFPv4
Kernels neon_dotprod_kernels();  ///< AArch64 with SDOT

/// The sets that this processor runs, best first; false past the last one.
bool usable_kernels(size_t index, Kernels* kernels);

/// The best of them or, where name is not null, the one of this name; false if it cannot run here.
bool select_kernels(const char* name, Kernels* kernels);

}  // namespace bzscr::rt
