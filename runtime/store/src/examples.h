#pragma once

#include <stdint.h>

namespace bzscr::store {

/// Whether what a class was taught can be so: sum[k] finite, `count` finite and not negative. A
/// count of 0 has no sum.
inline bool examples_are_sound(const float* sum, uint32_t k, float count) {
  if (!(count >= 0 && count - count == 0) || (count > 0) != (sum != nullptr)) return false;
  for (uint32_t j = 0; sum != nullptr && j < k; ++j)
    if (!(sum[j] - sum[j] == 0)) return false;
  return true;
}

}  // namespace bzscr::store
