#pragma once

#include <bzscr_schema/format.h>

#include <stddef.h>
#include <stdint.h>

namespace bzscr::store {

using format::kKeyIdBytes;
using format::kPublicKeyBytes;
using format::kSignatureBytes;

/// Whether signatures can be checked in this build. If not, the functions below are never called.
bool can_verify();

/// The first 8 bytes of the SHA-512 of a public key.
void key_id_of(const uint8_t key[kPublicKeyBytes], uint8_t id[kKeyIdBytes]);

/// Ed25519ph over `header` and then `payload`.
bool signature_is_good(const uint8_t key[kPublicKeyBytes], const uint8_t signature[kSignatureBytes],
                       const format::SignedHeader& header, const uint8_t* payload,
                       size_t payload_bytes);

}  // namespace bzscr::store
