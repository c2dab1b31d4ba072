#include "pack.h"

#include "envelope.h"
#include "examples.h"
#include "signature.h"
#include "well_formed.h"

#include <bzscr_schema/class_pack_generated.h>

#include <string.h>

namespace bzscr::store {
namespace {

static_assert(BZSCR_STORE_SET == static_cast<int>(format::ChangeKind::Set) &&
              BZSCR_STORE_REPLACE == static_cast<int>(format::ChangeKind::Replace) &&
              BZSCR_STORE_REMOVE == static_cast<int>(format::ChangeKind::Remove) &&
              BZSCR_STORE_RENAME == static_cast<int>(format::ChangeKind::Rename));

bzscr_store_status status_of(bzscr_rt_status status) {
  switch (status) {
    case BZSCR_RT_OK: return BZSCR_STORE_OK;
    case BZSCR_RT_MISALIGNED: return BZSCR_STORE_BAD_ARGUMENT;
    case BZSCR_RT_NOT_A_MODEL:
    case BZSCR_RT_WRONG_KIND: return BZSCR_STORE_NOT_A_PACK;
    case BZSCR_RT_TOO_OLD:
    case BZSCR_RT_TOO_NEW: return BZSCR_STORE_PACK_TOO_NEW;
    default: return BZSCR_STORE_PACK_DAMAGED;
  }
}

// Both or neither, and of the right lengths.
bool signature_is_well_formed(const format::Envelope& envelope) {
  const auto* id = envelope.key_id();
  const auto* signature = envelope.signature();
  if (id == nullptr || signature == nullptr) return id == nullptr && signature == nullptr;
  return id->size() == kKeyIdBytes && signature->size() == kSignatureBytes;
}

/// \param envelope  its signature is well formed
bzscr_store_status check_signature(const format::Envelope& envelope, const Keys& keys) {
  const auto* id = envelope.key_id();
  const auto* signature = envelope.signature();
  if (signature == nullptr) return keys.required ? BZSCR_STORE_UNSIGNED : BZSCR_STORE_OK;
  if (keys.ignored) return BZSCR_STORE_OK;

  const format::SignedHeader header = format::signed_header(static_cast<uint8_t>(envelope.kind()),
                                                            envelope.format_version(), id->data());
  for (uint32_t i = 0; i < keys.count; ++i) {
    const uint8_t* key = keys.keys + size_t{i} * kPublicKeyBytes;
    uint8_t known[kKeyIdBytes];
    key_id_of(key, known);
    if (memcmp(known, id->data(), sizeof known) != 0) continue;
    const auto& payload = *envelope.payload();
    return signature_is_good(key, signature->data(), header, payload.data(), payload.size())
               ? BZSCR_STORE_OK
               : BZSCR_STORE_FORGED;
  }
  return BZSCR_STORE_UNKNOWN_KEY;
}

bool name_is_sound(const flatbuffers::String* name) {
  return name != nullptr && name->size() > 0 && memchr(name->data(), 0, name->size()) == nullptr;
}

bool embedding_is_sound(const flatbuffers::Vector<float>* phi, uint32_t d) {
  if (phi == nullptr || phi->size() != d) return false;
  for (const float value : *phi)
    if (!(value - value == 0)) return false;
  return true;
}

bool change_is_sound(const format::Change& change, uint32_t d) {
  const bool no_name = change.name() == nullptr;
  const bool no_embedding = change.embedding() == nullptr;
  const auto* sum = change.examples();
  const bool no_examples = sum == nullptr && change.count() == 0;
  if (change.kind() != format::ChangeKind::Teach && !no_examples) return false;
  switch (change.kind()) {
    case format::ChangeKind::Set:
      return name_is_sound(change.name()) && embedding_is_sound(change.embedding(), d);
    case format::ChangeKind::Replace:
      return (no_name || name_is_sound(change.name())) && embedding_is_sound(change.embedding(), d);
    case format::ChangeKind::Remove: return no_name && no_embedding;
    case format::ChangeKind::Rename: return name_is_sound(change.name()) && no_embedding;
    case format::ChangeKind::Teach:
      return no_name && no_embedding &&
             examples_are_sound(sum != nullptr ? sum->data() : nullptr,
                                sum != nullptr ? sum->size() : 0, change.count());
    case format::ChangeKind::None: break;
  }
  return false;
}

// The pack in a payload, if all that it refers to lies inside the payload; otherwise null.
const format::ClassPack* pack_in(const rt::Payload& payload) {
  constexpr uint32_t kDepth = 8;
  flatbuffers::Verifier verifier(payload.bytes, payload.size, kDepth,
                                 static_cast<uint32_t>(payload.size / 4));
  if (!rt::has_identifier(payload.bytes, payload.size, format::ClassPackIdentifier()))
    return nullptr;
  const auto* pack = rt::well_formed_root<format::ClassPack>(verifier, payload.bytes);
  const bool is_complete = pack != nullptr && pack->model_hash() != nullptr &&
                           pack->embedding_name() != nullptr && pack->changes() != nullptr;
  return is_complete && rt::are_well_formed(verifier, *pack->changes()) ? pack : nullptr;
}

bool is_sound(const format::ClassPack& pack, uint16_t version) {
  if (pack.model_hash()->size() != format::kHashBytes || pack.counter() == 0 ||
      pack.embedding_dimension() == 0 || pack.changes()->size() == 0)
    return false;
  if (version < format::kPackVersionWithExamples && (teaches(pack) || pack.model_check() != 0))
    return false;
  for (const format::Change* change : *pack.changes())
    if (!change_is_sound(*change, pack.embedding_dimension())) return false;
  return true;
}

}  // namespace

bool teaches(const format::ClassPack& pack) {
  for (const format::Change* change : *pack.changes())
    if (change->kind() == format::ChangeKind::Teach) return true;
  return false;
}

bool examples_have(const format::ClassPack& pack, uint32_t k) {
  for (const format::Change* change : *pack.changes())
    if (change->examples() != nullptr && change->examples()->size() != k) return false;
  return true;
}

bzscr_store_status open_pack(const void* bytes, size_t size, const Keys& keys, Pack* pack) {
  rt::Payload payload;
  const rt::Expected expected = {static_cast<uint8_t>(format::Kind::ClassPack),
                                 format::kOldestPackVersion, format::kNewestPackVersion};
  bzscr_store_status status = status_of(rt::open_envelope(bytes, size, expected, &payload));
  if (status != BZSCR_STORE_OK) return status;
  const format::Envelope& envelope = *format::GetEnvelope(bytes);
  if (!signature_is_well_formed(envelope)) return BZSCR_STORE_PACK_DAMAGED;
  status = check_signature(envelope, keys);
  if (status != BZSCR_STORE_OK) return status;
  memset(pack->key_id, 0, sizeof pack->key_id);
  if (envelope.key_id() != nullptr)
    memcpy(pack->key_id, envelope.key_id()->data(), sizeof pack->key_id);

  pack->contents = pack_in(payload);
  return pack->contents != nullptr && is_sound(*pack->contents, envelope.format_version())
             ? BZSCR_STORE_OK
             : BZSCR_STORE_PACK_DAMAGED;
}

bzscr_store_status verify_signed_model(const void* bytes, size_t size, const Keys& keys) {
  rt::Payload payload;
  const rt::Expected expected = {static_cast<uint8_t>(format::Kind::Model),
                                 format::kOldestModelVersion, format::kNewestModelVersion};
  const bzscr_rt_status status = rt::open_envelope(bytes, size, expected, &payload);
  if (status != BZSCR_RT_OK)
    return status == BZSCR_RT_MISALIGNED ? bzscr_store_status{BZSCR_STORE_BAD_ARGUMENT}
                                         : BZSCR_STORE_CLASS + status;
  const format::Envelope& envelope = *format::GetEnvelope(bytes);
  if (!signature_is_well_formed(envelope)) return BZSCR_STORE_CLASS + BZSCR_RT_DAMAGED;
  return check_signature(envelope, keys);
}

Change change_at(const Pack& pack, uint32_t i) {
  const format::Change& change = *pack.contents->changes()->Get(i);
  const auto* sum = change.examples();
  if (change.kind() == format::ChangeKind::Teach)
    return {kExamples,     change.id(), nullptr, nullptr, sum != nullptr ? sum->data() : nullptr,
            change.count()};
  return {static_cast<bzscr_store_kind>(change.kind()),
          change.id(),
          change.name() != nullptr ? change.name()->c_str() : nullptr,
          change.embedding() != nullptr ? change.embedding()->data() : nullptr,
          nullptr,
          0};
}

}  // namespace bzscr::store
