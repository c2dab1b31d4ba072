#include "core/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bzscr {

// std::thread instead of OpenMP: nested parallel regions would need a setting of the whole process.
void run_side_by_side(std::size_t count, int workers,
                      const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
      }
  };
  std::vector<std::thread> threads;
  const auto wanted = std::min(count, static_cast<std::size_t>(std::max(1, workers)));
  try {
    for (std::size_t t = 1; t < wanted; ++t) threads.emplace_back(take);
  } catch (const std::system_error&) {
    // The threads that did start do all the work.
  }
  take();
  for (std::thread& each : threads) each.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bzscr
