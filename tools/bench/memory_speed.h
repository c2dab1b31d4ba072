#pragma once

#include <cstddef>
#include <cstdint>

namespace bzscr {

/// Folds all bytes into one number: reads, and does next to nothing else.
/// \param bytes  64-byte aligned
std::uint64_t read_all(const void* bytes, std::size_t size);

/// Bytes a second that one thread reads, over and over, from as much memory as that: the ceiling of
/// a query that reads as many. The best of what fits into the seconds.
double read_bandwidth(std::size_t size, double seconds);

}  // namespace bzscr
