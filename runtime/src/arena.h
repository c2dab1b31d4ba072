#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

inline bool is_aligned(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % BZSCR_RT_ALIGNMENT == 0;
}

/// Floats from the start of one row to the next: the kernels read 8 values at a time.
inline constexpr uint64_t padded(uint64_t length) { return (length + 7) / 8 * 8; }

/// Alignment of rows in bytes, relative to the start of the arena. If the arena has it too, a
/// vector of 64 bytes never spans two cache lines.
inline constexpr uint32_t kCacheLine = 64;

/// Allocates consecutive parts of one block of memory; each starts at a multiple of at least 32
/// bytes from the start of the block. Without a block it only counts, so that the same code
/// computes the size of an arena and lays it out.
class Arena {
 public:
  Arena() = default;  // only counts
  explicit Arena(void* block) : block_(static_cast<unsigned char*>(block)) {}

  /// Uninitialised memory for rows x columns values; null if there is no block.
  template <class T, uint32_t kStep = BZSCR_RT_ALIGNMENT>
  T* take(uint64_t rows, uint64_t columns = 1) {
    return static_cast<T*>(take_bytes(rows, columns, sizeof(T), kStep));
  }

  size_t used() const { return static_cast<size_t>(used_); }
  bool overflowed() const { return overflowed_; }  ///< more than PTRDIFF_MAX bytes were requested

 private:
  void* take_bytes(uint64_t rows, uint64_t columns, uint32_t value_bytes, uint32_t step);

  unsigned char* block_ = nullptr;
  uint64_t used_ = 0;
  bool overflowed_ = false;
};

}  // namespace bzscr::rt
