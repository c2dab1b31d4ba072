#include "well_formed.h"

namespace bzscr::rt {
namespace {

// Bytes of a value of each flatbuffers::ElementaryType, of UTYPE to SEQUENCE: a scalar, or the
// offset of a string or a table.
constexpr uint8_t kBytes[] = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4, 4};
static_assert(flatbuffers::ET_DOUBLE == 11 && flatbuffers::ET_STRING == 12 &&
                  flatbuffers::ET_SEQUENCE == sizeof kBytes - 1,
              "the sizes are in the order of the types");

bool is_scalar(flatbuffers::TypeCode type) {
  return type.is_repeating == 0 && type.base_type < flatbuffers::ET_STRING;
}

// What a field refers to: a vector, a string, or a table, which is not looked into.
bool target_is_inside(const flatbuffers::Verifier& verifier, flatbuffers::TypeCode type,
                      const uint8_t* target) {
  if (type.is_repeating != 0) return verifier.VerifyVectorOrString(target, kBytes[type.base_type]);
  return type.base_type == flatbuffers::ET_SEQUENCE ||
         verifier.VerifyString(reinterpret_cast<const flatbuffers::String*>(target));
}

}  // namespace

bool fields_are_well_formed(flatbuffers::Verifier& verifier, const flatbuffers::Table& table,
                            const flatbuffers::TypeTable& types) {
  const uint8_t* start = reinterpret_cast<const uint8_t*>(&table);
  if (!verifier.VerifyTableStart(start)) return false;
  for (size_t i = 0; i < types.num_elems; ++i) {
    const flatbuffers::TypeCode type = types.type_codes[i];
    // The vtable starts with its own size and that of the table; then come the places of fields.
    const auto entry =
        static_cast<flatbuffers::voffset_t>((2 + i) * sizeof(flatbuffers::voffset_t));
    const flatbuffers::voffset_t at = table.GetOptionalFieldOffset(entry);
    if (at == 0) continue;
    if (is_scalar(type)) {
      const size_t bytes = kBytes[type.base_type];
      if (!verifier.VerifyFieldStruct(start, at, bytes, bytes)) return false;
      continue;
    }
    const flatbuffers::uoffset_t offset = verifier.VerifyOffset(start, at);
    if (offset == 0 || !target_is_inside(verifier, type, start + at + offset)) return false;
  }
  return verifier.EndTable();
}

const flatbuffers::Table* find_root(flatbuffers::Verifier& verifier, const void* buffer,
                                    const flatbuffers::TypeTable& types) {
  if (verifier.VerifyOffset(0) == 0) return nullptr;
  const auto* root = flatbuffers::GetRoot<flatbuffers::Table>(buffer);
  return fields_are_well_formed(verifier, *root, types) ? root : nullptr;
}

}  // namespace bzscr::rt
