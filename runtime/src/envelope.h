#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::rt {

/// What a reader expects of an envelope.
struct Expected {
  uint8_t kind;  ///< format::Kind
  uint16_t oldest;
  uint16_t newest;
};

struct Payload {
  const uint8_t* bytes;  ///< 32-byte aligned
  size_t size;
  uint16_t format_version;  ///< one that this library reads
  uint32_t envelope_crc;    ///< the file's: of all outside the payload, the payload's checksum too
};

/// What is inside a file's envelope, its checksums compared. Trusts nothing but that `size` bytes
/// can be read. The payload's own fields are not looked at.
bzscr_rt_status open_envelope(const void* file, size_t size, Expected expected, Payload* payload);

/// The same, but the payload's bytes are not read, so that its checksum is not compared: for a file
/// that open_envelope() accepted before.
bzscr_rt_status find_payload(const void* file, size_t size, Expected expected, Payload* payload);

}  // namespace bzscr::rt
