#pragma once

#include <stddef.h>
#include <stdint.h>

namespace bzscr::store {

inline constexpr uint32_t kKeyBytes = 32;
inline constexpr uint32_t kSignatureBytes = 64;

/// Whether signatures can be checked in this build. If not, the functions below are never called.
bool can_verify();

/// The first 8 bytes of the SHA-512 of a public key.
void key_id_of(const uint8_t key[kKeyBytes], uint8_t id[8]);

/// Ed25519ph over `header` and then `payload`.
bool signature_is_good(const uint8_t key[kKeyBytes], const uint8_t signature[kSignatureBytes],
                       const uint8_t header[16], const uint8_t* payload, size_t payload_bytes);

}  // namespace bzscr::store
