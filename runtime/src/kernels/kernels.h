#pragma once

#include <stddef.h>

namespace bzscr::rt {

/// The one loop that differs per instruction set; everything above it is portable.
struct Kernels {
  const char* name;

  /// out[r] = row r . x, for n rows that start `pitch` floats apart.
  /// \param length  floats of a row and of x; a multiple of 8, so there is no tail loop
  /// \param rows    aligned to 32 bytes or, in the model's own matrices, only to 4
  /// \param x       aligned to 32 bytes
  void (*dot_rows)(const float* rows, size_t n, size_t pitch, size_t length, const float* x, float* out);
};

const Kernels& scalar_kernels();  ///< the definition of right; built everywhere

/// The best set that this CPU runs, or the one named; null if there is no such set or it cannot run here.
const Kernels* select_kernels(const char* name = nullptr);

}  // namespace bzscr::rt
