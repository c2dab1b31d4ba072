#pragma once

#include <cstdint>

namespace bzscr {

/// Bytes that this process may fill: what the system says is available (MemAvailable), or less
/// where a control group of version 1 or 2, as containers and batch systems set them, limits it.
/// The largest number where the system does not say.
std::uint64_t available_memory();

}  // namespace bzscr
