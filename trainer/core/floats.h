#pragma once

#include <cstring>

#define BZSCR_INLINE __attribute__((always_inline)) inline

namespace bzscr {

/// A vector of sixteen floats, which GCC and Clang lower to the registers of the machine. For loops
/// that are compiled once per instruction set (core/clones.h), with -Wno-psabi: these vectors are
/// never passed to a function that is not inlined.
using Floats = float __attribute__((vector_size(64)));

/// \param from, to  16 floats, aligned or not
BZSCR_INLINE Floats load(const float* from) {
  Floats v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
BZSCR_INLINE void store(const Floats& v, float* to) { std::memcpy(to, &v, sizeof v); }

}  // namespace bzscr
