#pragma once

#include <cstddef>
#include <cstdint>

namespace bzscr {

/// CRC-32C (Castagnoli) of bytes[0, size) following data whose CRC-32C is `before` (0 for none), so
/// that pieces can be taken one after the other. Debian 12 packages no library for it.
std::uint32_t crc32c(const void* bytes, std::size_t size, std::uint32_t before = 0);

}  // namespace bzscr
