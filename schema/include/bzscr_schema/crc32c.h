#pragma once

#include <stddef.h>
#include <stdint.h>

namespace bzscr::format {

struct Crc32cTable {
  uint32_t of[256];
};

constexpr Crc32cTable make_crc32c_table() {
  constexpr uint32_t kPolynomial = 0x82F63B78u;  // 0x1EDC6F41 with its bits reversed
  Crc32cTable table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0u);
    table.of[byte] = crc;
  }
  return table;
}

inline constexpr Crc32cTable kCrc32cTable = make_crc32c_table();

/// CRC-32C (Castagnoli, reflected, as in iSCSI) of bytes[0, size) after data whose CRC-32C is
/// `before`; 0 at the start. Debian 12 packages no library for it.
inline uint32_t crc32c(uint32_t before, const void* bytes, size_t size) {
  const unsigned char* at = static_cast<const unsigned char*>(bytes);
  uint32_t crc = ~before;
  for (size_t i = 0; i < size; ++i) crc = (crc >> 8) ^ kCrc32cTable.of[(crc ^ at[i]) & 0xFF];
  return ~crc;
}

}  // namespace bzscr::format
