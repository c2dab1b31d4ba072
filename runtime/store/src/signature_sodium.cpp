#include "signature.h"

#include <sodium.h>

#include <string.h>

namespace bzscr::store {

bool can_verify() { return sodium_init() >= 0; }

void key_id_of(const uint8_t key[kPublicKeyBytes], uint8_t id[kKeyIdBytes]) {
  uint8_t hash[crypto_hash_sha512_BYTES];
  crypto_hash_sha512(hash, key, kPublicKeyBytes);
  memcpy(id, hash, kKeyIdBytes);
}

bool signature_is_good(const uint8_t key[kPublicKeyBytes], const uint8_t signature[kSignatureBytes],
                       const format::SignedHeader& header, const uint8_t* payload,
                       size_t payload_bytes) {
  crypto_sign_state state;
  return crypto_sign_init(&state) == 0 &&
         crypto_sign_update(&state, header.bytes, sizeof header.bytes) == 0 &&
         crypto_sign_update(&state, payload, payload_bytes) == 0 &&
         crypto_sign_final_verify(&state, signature, key) == 0;
}

}  // namespace bzscr::store
