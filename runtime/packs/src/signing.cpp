#include "signing.h"

#include <sodium.h>

#include <algorithm>
#include <stdexcept>

namespace bzscr::pack {

format::EnvelopeSignature sign(const SecretKey& key, format::Kind kind,
                               std::uint16_t format_version, const std::uint8_t* payload,
                               std::size_t size) {
  static_assert(format::kSignatureBytes == crypto_sign_BYTES);
  format::EnvelopeSignature signature{key.public_key().id(), {}};
  const format::SignedHeader header = format::signed_header(
      static_cast<std::uint8_t>(kind), format_version, signature.key_id.data());
  crypto_sign_state state;
  crypto_sign_init(&state);
  crypto_sign_update(&state, header.bytes, sizeof header.bytes);
  crypto_sign_update(&state, payload, size);
  crypto_sign_final_create(&state, signature.bytes.data(), nullptr, key.bytes.data());
  return signature;
}

std::uint32_t count_of(const std::vector<std::uint8_t>& keys) {
  if (keys.size() % format::kPublicKeyBytes != 0)
    throw std::invalid_argument("public keys are " + std::to_string(format::kPublicKeyBytes) +
                                " bytes each, and these are " + std::to_string(keys.size()));
  return static_cast<std::uint32_t>(keys.size() / format::kPublicKeyBytes);
}

void require_good(bzscr_store_status status, const std::string& path, const Memory& file) {
  if (status == BZSCR_STORE_OK) return;
  if (status == BZSCR_STORE_UNKNOWN_KEY) {
    const KeyId id = *signer_of(*format::GetEnvelope(file.data()));
    throw UnknownKey(path, hexadecimal(id.data(), id.size()));
  }
  throw Error(path, bzscr_store_status_text(status));
}

std::optional<KeyId> signer_of(const format::Envelope& envelope) {
  if (envelope.signature() == nullptr) return std::nullopt;
  KeyId id{};
  std::copy(envelope.key_id()->begin(), envelope.key_id()->end(), id.begin());
  return id;
}

}  // namespace bzscr::pack
