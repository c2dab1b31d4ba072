#pragma once

#include <stdint.h>

/// The atomic operations of the table. A single-threaded build uses plain ones: Cortex-M0 has
/// no such instructions, and the compiler would emit calls to functions that no library defines.
namespace bzscr::rt::atomics {

#if defined(BZSCR_RT_SINGLE_THREADED)

inline constexpr bool kAvailable = false;
inline uint32_t load(const uint32_t& value) { return value; }
inline void store(uint32_t& value, uint32_t to) { value = to; }
inline void add(uint32_t& value, uint32_t what) { value += what; }
inline bool exchange_if(uint32_t& value, uint32_t from, uint32_t to) {
  if (value != from) return false;
  value = to;
  return true;
}

#else

inline constexpr bool kAvailable = true;
inline uint32_t load(const uint32_t& value) { return __atomic_load_n(&value, __ATOMIC_SEQ_CST); }
inline void store(uint32_t& value, uint32_t to) { __atomic_store_n(&value, to, __ATOMIC_SEQ_CST); }
inline void add(uint32_t& value, uint32_t what) {
  __atomic_fetch_add(&value, what, __ATOMIC_SEQ_CST);
}
/// Whether `value` was `from`; only then it becomes `to`.
inline bool exchange_if(uint32_t& value, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&value, &from, to, /*weak=*/false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

#endif

}  // namespace bzscr::rt::atomics
