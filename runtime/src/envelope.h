#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// The kind and the range of format versions that a reader accepts.
struct Expected {
  uint8_t kind;  ///< format::Kind
  uint16_t oldest;
  uint16_t newest;
};

struct Payload {
  const uint8_t* bytes;  ///< 32-byte aligned
  size_t size;
  uint16_t format_version;  ///< one that this library reads
  uint32_t envelope_crc;    ///< of all bytes outside the payload, which hold the payload's checksum
};

/// Finds the payload of a file and compares both checksums. Assumes only that `size` bytes can be
/// read. Does not read the fields of the payload.
bzscr_rt_status open_envelope(const void* file, size_t size, Expected expected, Payload* payload);

/// Like open_envelope(), but does not read the bytes of the payload, so that its checksum is not
/// compared. For a file that open_envelope() accepted before.
bzscr_rt_status find_payload(const void* file, size_t size, Expected expected, Payload* payload);

}  // namespace bzscr::rt
