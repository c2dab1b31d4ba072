#pragma once

#include "bzscr_store/bzscr_store.h"
#include "directory.h"

#include <bzscr_schema/format.h>

namespace bzscr::format {
struct ClassPack;
}

namespace bzscr::store {

/// The keys that a device trusts.
struct Keys {
  const uint8_t* keys;  ///< count x 32
  uint32_t count;
  bool required;
  bool ignored;  ///< signatures are not looked at
};

struct Pack {
  const format::ClassPack* contents;
  uint8_t key_id[format::kKeyIdBytes];  ///< zeros if not signed
};

/// Opens a pack and holds it to every rule of FORMAT.md that the pack alone can keep or break.
/// Trusts nothing but that `size` bytes can be read.
bzscr_store_status open_pack(const void* bytes, size_t size, const Keys& keys, Pack* pack);

/// Whether a key signed a model's file, in an envelope that is whole. Its contents are not looked at.
bzscr_store_status verify_signed_model(const void* bytes, size_t size, const Keys& keys);

/// Whether a change is `Teach`.
bool teaches(const format::ClassPack& pack);

/// Whether all sums of samples have k values.
bool examples_have(const format::ClassPack& pack, uint32_t k);

/// Change i of a pack that was opened.
Change change_at(const Pack& pack, uint32_t i);

}  // namespace bzscr::store
