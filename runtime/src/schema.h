#pragma once

// The only way to the FlatBuffers headers. Their asserts would pull in stdio and abort; everything
// they guard is checked in envelope.cpp and verify.cpp, in every build.
#ifdef FLATBUFFERS_ASSERT
#error "include schema.h before any FlatBuffers header"
#endif
#define FLATBUFFERS_ASSERT(condition) static_cast<void>(0)

#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/format.h>
#include <bzscr_schema/model_generated.h>

#include <string.h>

namespace bzscr::rt {

/// Whether `size` bytes begin with a root offset and this file identifier. FlatBuffers' own test
/// calls strncmp, and reads 8 bytes whatever there are; so does its VerifyBuffer(), at least until
/// optimised away.
inline bool has_identifier(const void* bytes, size_t size, const char* identifier) {
  constexpr size_t kAt = sizeof(flatbuffers::uoffset_t);
  constexpr size_t kLength = flatbuffers::kFileIdentifierLength;
  return size >= kAt + kLength &&
         memcmp(static_cast<const char*>(bytes) + kAt, identifier, kLength) == 0;
}

/// Whether the buffer is a FlatBuffer whose root table, and all that hangs on it, lies inside it.
template <class Root>
bool is_well_formed(flatbuffers::Verifier& verifier, const uint8_t* bytes) {
  return verifier.VerifyOffset(0) != 0 && flatbuffers::GetRoot<Root>(bytes)->Verify(verifier);
}

}  // namespace bzscr::rt
