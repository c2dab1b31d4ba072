#include "export/envelope_writer.h"

#include "export/crc32c.h"

namespace bzscr {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr std::size_t kAlignment = 32;  // of the payload

/// CRC-32C of all that surrounds the payload. The field that holds the result still is zero.
std::uint32_t crc32c_outside(const std::vector<std::uint8_t>& file,
                             const flatbuffers::Vector<std::uint8_t>& payload) {
  const std::uint8_t* const end = file.data() + file.size();
  const std::uint8_t* const payload_end = payload.data() + payload.size();
  const std::uint32_t before =
      crc32c(file.data(), static_cast<std::size_t>(payload.data() - file.data()));
  return crc32c(payload_end, static_cast<std::size_t>(end - payload_end), before);
}

}  // namespace

std::vector<std::uint8_t> write_envelope(format::Kind kind, std::uint16_t format_version,
                                         const std::uint8_t* payload, std::size_t size,
                                         const EnvelopeSignature* signature) {
  FlatBufferBuilder builder(size + 256);
  builder.ForceDefaults(true);
  builder.ForceVectorAlignment(size, 1, kAlignment);
  const auto bytes = builder.CreateVector(payload, size);
  Offset<flatbuffers::Vector<std::uint8_t>> key_id, signed_by;
  if (signature != nullptr) {
    key_id = builder.CreateVector(signature->key_id.data(), signature->key_id.size());
    signed_by = builder.CreateVector(signature->bytes.data(), signature->bytes.size());
  }
  format::FinishEnvelopeBuffer(
      builder, format::CreateEnvelope(builder, kind, format_version, crc32c(payload, size), 0,
                                      key_id, signed_by, bytes));

  std::vector<std::uint8_t> file(builder.GetBufferPointer(),
                                 builder.GetBufferPointer() + builder.GetSize());
  const std::uint32_t crc = crc32c_outside(file, *format::GetEnvelope(file.data())->payload());
  const std::uint8_t* const field = flatbuffers::GetRoot<flatbuffers::Table>(file.data())
                                        ->GetAddressOf(format::Envelope::VT_ENVELOPE_CRC32C);
  flatbuffers::WriteScalar(file.data() + (field - file.data()), crc);
  return file;
}

}  // namespace bzscr
