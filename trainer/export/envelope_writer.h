#pragma once

#include <bzscr_schema/envelope_generated.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bzscr {

/// Who signed a payload, and the signature: schema/FORMAT.md, "Signatures".
struct EnvelopeSignature {
  std::array<std::uint8_t, 8> key_id;
  std::array<std::uint8_t, 64> bytes;
};

/// A file: the payload in its envelope, both checksums computed. The same input gives the same
/// bytes.
/// \param signature  null: not signed
std::vector<std::uint8_t> write_envelope(format::Kind kind, std::uint16_t format_version,
                                         const std::uint8_t* payload, std::size_t size,
                                         const EnvelopeSignature* signature = nullptr);

}  // namespace bzscr
