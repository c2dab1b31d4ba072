#include "arena.h"

namespace bzscr::rt {

void* Arena::take_bytes(uint64_t rows, uint64_t columns, uint32_t value_bytes, uint32_t step) {
  constexpr uint64_t kLimit = PTRDIFF_MAX;
  uint64_t bytes = 0;
  uint64_t end = 0;
  const uint64_t start = (used_ + (step - 1)) / step * step;
  if (__builtin_mul_overflow(rows, columns, &bytes) ||
      __builtin_mul_overflow(bytes, uint64_t{value_bytes}, &bytes) ||
      __builtin_add_overflow(start, bytes, &end) || end > kLimit) {
    overflowed_ = true;
    return nullptr;
  }
  used_ = end;
  return block_ == nullptr ? nullptr : block_ + start;
}

}  // namespace bzscr::rt
