#pragma once

// Includes the FlatBuffers headers with their asserts disabled: these would link stdio and abort.
// envelope.cpp and verify.cpp check in every build what the asserts check. Other files of the
// runtime include this header instead of those of FlatBuffers.
#ifdef FLATBUFFERS_ASSERT
#error "include schema.h before any FlatBuffers header"
#endif
#define FLATBUFFERS_ASSERT(condition) static_cast<void>(0)

#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/format.h>
#include <bzscr_schema/model_generated.h>

#include <string.h>

namespace bzscr::rt {

/// Whether `size` bytes begin with a root offset and this file identifier. The test of FlatBuffers
/// calls strncmp and reads 8 bytes even if `size` is smaller; so may its VerifyBuffer(), depending
/// on optimisation.
inline bool has_identifier(const void* bytes, size_t size, const char* identifier) {
  constexpr size_t kAt = sizeof(flatbuffers::uoffset_t);
  constexpr size_t kLength = flatbuffers::kFileIdentifierLength;
  return size >= kAt + kLength &&
         memcmp(static_cast<const char*>(bytes) + kAt, identifier, kLength) == 0;
}

}  // namespace bzscr::rt
