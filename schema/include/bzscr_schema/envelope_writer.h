#pragma once

#include <bzscr_schema/crc32c.h>
#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bzscr::format {

/// Who signed a payload, and the signature: FORMAT.md, "Signatures".
struct EnvelopeSignature {
  std::array<std::uint8_t, kKeyIdBytes> key_id;
  std::array<std::uint8_t, kSignatureBytes> bytes;
};

/// A file: the payload in its envelope, both checksums computed. The same input gives the same
/// bytes. \param signature  null: not signed
inline std::vector<std::uint8_t> write_envelope(Kind kind, std::uint16_t format_version,
                                                const std::uint8_t* payload, std::size_t size,
                                                const EnvelopeSignature* signature = nullptr) {
  using Bytes = flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>;
  flatbuffers::FlatBufferBuilder builder(size + 256);
  builder.ForceDefaults(true);  // or a checksum of 0 would leave its field out
  builder.ForceVectorAlignment(size, 1, kAlignment);
  const auto bytes = builder.CreateVector(payload, size);
  Bytes key_id, signed_by;
  if (signature != nullptr) {
    key_id = builder.CreateVector(signature->key_id.data(), signature->key_id.size());
    signed_by = builder.CreateVector(signature->bytes.data(), signature->bytes.size());
  }
  FinishEnvelopeBuffer(
      builder, CreateEnvelope(builder, kind, format_version, crc32c(0, payload, size), 0, key_id,
                              signed_by, bytes));

  std::vector<std::uint8_t> file(builder.GetBufferPointer(),
                                 builder.GetBufferPointer() + builder.GetSize());
  // The checksum of all that surrounds the payload; its own field is zero until then.
  const auto& inner = *GetEnvelope(file.data())->payload();
  const std::uint8_t* const inner_end = inner.data() + inner.size();
  const std::uint32_t before =
      crc32c(0, file.data(), static_cast<std::size_t>(inner.data() - file.data()));
  const std::uint32_t crc =
      crc32c(before, inner_end, static_cast<std::size_t>(file.data() + file.size() - inner_end));
  const std::uint8_t* const field = flatbuffers::GetRoot<flatbuffers::Table>(file.data())
                                        ->GetAddressOf(Envelope::VT_ENVELOPE_CRC32C);
  flatbuffers::WriteScalar(file.data() + (field - file.data()), crc);
  return file;
}

}  // namespace bzscr::format
