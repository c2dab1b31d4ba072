#pragma once

#include <cstdint>
#include <string>

namespace bzscr {

/// Bytes that this process may fill: what the system says is available (MemAvailable), or less
/// where a control group of version 1 or 2, as containers and batch systems set them, limits it or
/// one that holds it. The largest number where the system does not say.
/// \param root  folder that holds the system's /proc and /sys; another one in tests
std::uint64_t available_memory(const std::string& root = "");

}  // namespace bzscr
