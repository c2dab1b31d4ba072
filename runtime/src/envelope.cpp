#include "envelope.h"

#include "arena.h"
#include "well_formed.h"

#include <bzscr_schema/crc32c.h>

namespace bzscr::rt {
namespace {

using format::crc32c;

constexpr size_t kCrcBytes = 4;

struct Span {
  size_t begin;
  size_t end;
};

// The checksum of every byte outside the payload, in file order; its own field counts as zero.
uint32_t envelope_crc(const uint8_t* file, size_t size, Span field, Span payload) {
  const uint8_t zero[kCrcBytes] = {};
  const bool field_first = field.begin < payload.begin;
  const Span first = field_first ? field : payload;
  const Span second = field_first ? payload : field;

  uint32_t crc = crc32c(0, file, first.begin);
  if (field_first) crc = crc32c(crc, zero, kCrcBytes);
  crc = crc32c(crc, file + first.end, second.begin - first.end);
  if (!field_first) crc = crc32c(crc, zero, kCrcBytes);
  return crc32c(crc, file + second.end, size - second.end);
}

// The address of a field, or null if it is absent. The generated accessors return only the value of
// a field, or its default.
const uint8_t* address_of(const uint8_t* file, flatbuffers::voffset_t field) {
  return flatbuffers::GetRoot<flatbuffers::Table>(file)->GetAddressOf(field);
}

bool envelope_intact(const uint8_t* file, size_t size, const format::Envelope& envelope) {
  const uint8_t* field_at = address_of(file, format::Envelope::VT_ENVELOPE_CRC32C);
  if (field_at == nullptr) return false;
  const size_t begin = static_cast<size_t>(field_at - file);
  const size_t payload_begin = static_cast<size_t>(envelope.payload()->data() - file);
  const Span field = {begin, begin + kCrcBytes};
  const Span payload = {payload_begin, payload_begin + envelope.payload()->size()};
  const bool overlap = field.begin < payload.end && payload.begin < field.end;
  return !overlap && envelope_crc(file, size, field, payload) == envelope.envelope_crc32c();
}

bool payload_intact(const uint8_t* file, const format::Envelope& envelope) {
  const auto& payload = *envelope.payload();
  return address_of(file, format::Envelope::VT_PAYLOAD_CRC32C) != nullptr &&
         crc32c(0, payload.data(), payload.size()) == envelope.payload_crc32c();
}

}  // namespace

bzscr_rt_status find_payload(const void* file, size_t size, Expected expected, Payload* payload) {
  if (!is_aligned(file)) return BZSCR_RT_MISALIGNED;  // the verifier only looks at offsets
  if (!has_identifier(file, size, format::EnvelopeIdentifier())) return BZSCR_RT_NOT_A_MODEL;
  if (size >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return BZSCR_RT_DAMAGED;  // the verifier only asserts this

  const uint8_t* bytes = static_cast<const uint8_t*>(file);
  flatbuffers::Verifier verifier(bytes, size);
  const format::Envelope* found = well_formed_root<format::Envelope>(verifier, bytes);
  if (found == nullptr || found->payload() == nullptr) return BZSCR_RT_DAMAGED;
  const format::Envelope& envelope = *found;

  // Compared before the version is used: a flipped bit in the version is DAMAGED, not TOO_NEW.
  if (!envelope_intact(bytes, size, envelope)) return BZSCR_RT_DAMAGED;
  if (static_cast<uint8_t>(envelope.kind()) != expected.kind) return BZSCR_RT_WRONG_KIND;
  if (envelope.format_version() < expected.oldest) return BZSCR_RT_TOO_OLD;
  if (envelope.format_version() > expected.newest) return BZSCR_RT_TOO_NEW;
  if (!is_aligned(envelope.payload()->data())) return BZSCR_RT_DAMAGED;

  *payload = {envelope.payload()->data(), envelope.payload()->size(), envelope.format_version(),
              envelope.envelope_crc32c()};
  return BZSCR_RT_OK;
}

bzscr_rt_status open_envelope(const void* file, size_t size, Expected expected, Payload* payload) {
  Payload found;
  const bzscr_rt_status status = find_payload(file, size, expected, &found);
  if (status != BZSCR_RT_OK) return status;
  if (!payload_intact(static_cast<const uint8_t*>(file), *format::GetEnvelope(file)))
    return BZSCR_RT_DAMAGED;
  *payload = found;
  return BZSCR_RT_OK;
}

}  // namespace bzscr::rt
