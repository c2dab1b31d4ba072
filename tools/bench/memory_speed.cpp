#include "bench/memory_speed.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

// One for each width of registers; the machine takes the widest that it has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define BZSCR_WIDEST __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define BZSCR_WIDEST
#endif

namespace bzscr {

BZSCR_WIDEST std::uint64_t read_all(const void* bytes, std::size_t size) {
  constexpr std::size_t kLanes = 64;  // eight registers of 64 bytes side by side
  const auto* words = static_cast<const std::uint64_t*>(bytes);
  const std::size_t n = size / sizeof(std::uint64_t);
  std::uint64_t lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] ^= words[i + lane];
  std::uint64_t all = 0;
  for (; i < n; ++i) all ^= words[i];
  for (const std::uint64_t lane : lanes) all ^= lane;
  return all;
}

double read_bandwidth(std::size_t size, double seconds) {
  using Clock = std::chrono::steady_clock;
  size = std::max<std::size_t>(size / 512 * 512, 4096);
  void* block = nullptr;
  if (posix_memalign(&block, 4096, size) != 0) throw std::bad_alloc();
  const std::unique_ptr<void, void (*)(void*)> owner(block, std::free);
  std::memset(block, 1, size);

  // Often enough that a clock's reading does not count.
  const std::size_t times = std::max<std::size_t>(1, (std::size_t{1} << 20) / size);
  volatile std::uint64_t sink = 0;
  double best = 0;
  const auto start = Clock::now();
  do {
    const auto before = Clock::now();
    for (std::size_t i = 0; i < times; ++i) sink = sink ^ read_all(block, size);
    const double took = std::chrono::duration<double>(Clock::now() - before).count();
    best = std::max(best, static_cast<double>(size * times) / took);
  } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
  return best;
}

}  // namespace bzscr
