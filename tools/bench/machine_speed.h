#pragma once

#include <cstdint>
#include <vector>

/// What the machine can do, for comparison, and what the process uses of it.
namespace bzscr::bench {

double clock_seconds();

/// \param values  not empty
double median(std::vector<double> values);

/// GFLOP/s of square single-precision products by BLAS, on all threads at the same time: the best
/// of a few sizes, each the sum of the threads' medians over short rounds, so that other work on
/// the machine hardly shows.
double measured_peak(int threads);

/// From here on peak_memory_bytes() is of what follows, where the system has a way to say so
/// (Linux).
void forget_peak_memory();
std::int64_t peak_memory_bytes();

}  // namespace bzscr::bench
