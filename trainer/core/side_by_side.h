#pragma once

#include <cstddef>
#include <functional>

namespace bzscr {

/// Calls work(i) for i from 0 to count - 1, on `workers` threads that take the next i as they come.
/// Each may start OpenMP threads of its own. The first exception ends the rest, and is thrown here.
void run_side_by_side(std::size_t count, int workers, const std::function<void(std::size_t)>& work);

}  // namespace bzscr
