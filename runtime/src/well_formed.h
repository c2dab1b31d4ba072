#pragma once

#include "schema.h"

namespace bzscr::rt {

/// Whether a table has a sound start, and each of its fields that is present, with all that the
/// field refers to, lies inside the buffer: the elements of vectors and the bytes of strings, but
/// not the fields of other tables, which are asked for one by one. Fields that are required must
/// be looked for too.
///
/// The verifiers that flatc generates do the same with code for every field of every table, which
/// is several times the size. This function reads the types of the fields from a table.
bool fields_are_well_formed(flatbuffers::Verifier& verifier, const flatbuffers::Table& table,
                            const flatbuffers::TypeTable& types);

/// \param table  of a type that flatc generated; null: absent
template <class Generated>
bool is_well_formed(flatbuffers::Verifier& verifier, const Generated* table) {
  return table == nullptr ||
         fields_are_well_formed(verifier, reinterpret_cast<const flatbuffers::Table&>(*table),
                                *Generated::MiniReflectTypeTable());
}

/// \param tables  a field of a well-formed table
template <class Generated>
bool are_well_formed(flatbuffers::Verifier& verifier,
                     const flatbuffers::Vector<flatbuffers::Offset<Generated>>& tables) {
  for (const Generated* one : tables)
    if (!is_well_formed(verifier, one)) return false;
  return true;
}

/// The root table of a buffer, if it is inside the buffer and well-formed; otherwise null.
const flatbuffers::Table* find_root(flatbuffers::Verifier& verifier, const void* buffer,
                                    const flatbuffers::TypeTable& types);
template <class Root>
const Root* well_formed_root(flatbuffers::Verifier& verifier, const void* buffer) {
  return reinterpret_cast<const Root*>(find_root(verifier, buffer, *Root::MiniReflectTypeTable()));
}

}  // namespace bzscr::rt
