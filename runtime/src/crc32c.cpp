#include "crc32c.h"

namespace bzscr::rt {
namespace {

struct Table {
  uint32_t of[256];
};

constexpr Table make_table() {
  Table table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table.of[byte] = crc;
  }
  return table;
}

constexpr Table kTable = make_table();

}  // namespace

uint32_t crc32c(uint32_t crc, const void* bytes, size_t size) {
  const unsigned char* at = static_cast<const unsigned char*>(bytes);
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) crc = (crc >> 8) ^ kTable.of[(crc ^ at[i]) & 0xFF];
  return ~crc;
}

}  // namespace bzscr::rt
