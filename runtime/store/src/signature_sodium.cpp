#include "signature.h"

#include <sodium.h>

#include <string.h>

namespace bzscr::store {

bool can_verify() { return sodium_init() >= 0; }

void key_id_of(const uint8_t key[kKeyBytes], uint8_t id[8]) {
  uint8_t hash[crypto_hash_sha512_BYTES];
  crypto_hash_sha512(hash, key, kKeyBytes);
  memcpy(id, hash, 8);
}

bool signature_is_good(const uint8_t key[kKeyBytes], const uint8_t signature[kSignatureBytes],
                       const uint8_t header[16], const uint8_t* payload, size_t payload_bytes) {
  crypto_sign_state state;
  return crypto_sign_init(&state) == 0 && crypto_sign_update(&state, header, 16) == 0 &&
         crypto_sign_update(&state, payload, payload_bytes) == 0 &&
         crypto_sign_final_verify(&state, signature, key) == 0;
}

}  // namespace bzscr::store
