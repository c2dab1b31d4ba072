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
inline uint32_t exchange(uint32_t& value, uint32_t to) {
  const uint32_t before = value;
  value = to;
  return before;
}

#else

inline constexpr bool kAvailable = true;
inline uint32_t load(const uint32_t& value) { return __atomic_load_n(&value, __ATOMIC_SEQ_CST); }
inline void store(uint32_t& value, uint32_t to) { __atomic_store_n(&value, to, __ATOMIC_SEQ_CST); }
inline void add(uint32_t& value, uint32_t what) {
  __atomic_fetch_add(&value, what, __ATOMIC_SEQ_CST);
}
inline uint32_t exchange(uint32_t& value, uint32_t to) {
  return __atomic_exchange_n(&value, to, __ATOMIC_SEQ_CST);
}

#endif

}  // namespace bzscr::rt::atomics
