#pragma once

#include <cstdint>
#include <string>

namespace bzscr {

/// The memory available to this process in bytes: MemAvailable of the system, or the limit of its
/// control group (version 1 or 2, as set by containers and batch systems) or of an ancestor of the
/// group if that is lower. The largest number if the system reports neither.
/// \param root  folder that holds /proc and /sys, for tests
std::uint64_t available_memory(const std::string& root = "");

}  // namespace bzscr
