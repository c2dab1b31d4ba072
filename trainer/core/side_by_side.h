#pragma once

#include <cstddef>
#include <functional>

namespace bzscr {

/// Calls work(i) for i from 0 to count - 1 on `workers` threads, each of which takes the next i
/// when it is free. work() may start OpenMP threads. After an exception no further work starts, and
/// the first exception is rethrown to the caller.
void run_side_by_side(std::size_t count, int workers, const std::function<void(std::size_t)>& work);

}  // namespace bzscr
