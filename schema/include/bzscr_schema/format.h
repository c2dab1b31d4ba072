#pragma once

// The numbers of the file format that the schemas cannot state; FORMAT.md gives their meaning. The
// trainer, the runtime, the store and the packs all take them from here. No library, no heap: this
// is compiled for microcontrollers too.

#include <stddef.h>
#include <stdint.h>

namespace bzscr::format {

// Versions of the payloads.
inline constexpr uint16_t kOldestModelVersion = 1;
inline constexpr uint16_t kNewestModelVersion = 3;
/// The first version whose embeddings may have parts; an older reader would scale them as a whole.
inline constexpr uint16_t kModelVersionWithParts = 2;
/// The first version that may have feature scaling Standard, a form of scores, own parts, feature
/// offsets or teaching.
inline constexpr uint16_t kModelVersionWithForms = 3;
inline constexpr uint16_t kOldestPackVersion = 1;
inline constexpr uint16_t kNewestPackVersion = 2;
/// The first version whose changes may hold what a class was taught.
inline constexpr uint16_t kPackVersionWithExamples = 2;

inline constexpr size_t kAlignment = 32;  ///< of the payload and of its arrays, in bytes
inline constexpr size_t kHashBytes = 16;  ///< of the data that a model was trained on

// Signatures: Ed25519ph.
inline constexpr size_t kKeyIdBytes = 8;  ///< the first bytes of the SHA-512 of the public key
inline constexpr size_t kPublicKeyBytes = 32;
inline constexpr size_t kSignatureBytes = 64;

/// What a signature covers before the payload.
struct SignedHeader {
  static constexpr size_t kBytes = 16;
  uint8_t bytes[kBytes];
};

constexpr SignedHeader signed_header(uint8_t kind, uint16_t format_version, const uint8_t* key_id) {
  SignedHeader header = {{'B', 'Z', 'S', 'C', kind, 0, static_cast<uint8_t>(format_version & 0xFF),
                          static_cast<uint8_t>(format_version >> 8)}};
  for (size_t i = 0; i < kKeyIdBytes; ++i) header.bytes[8 + i] = key_id[i];
  return header;
}

}  // namespace bzscr::format
