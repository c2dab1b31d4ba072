#pragma once

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// CRC-32C (Castagnoli, reflected, as in iSCSI). `crc` is the checksum of the preceding bytes, 0 if
/// there are none.
uint32_t crc32c(uint32_t crc, const void* bytes, size_t size);

}  // namespace bzscr::rt
