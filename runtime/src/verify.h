#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::format {
struct Model;
}

namespace bzscr::rt {

struct VerifiedModel {
  const format::Model* model;
  uint32_t envelope_crc;  ///< of its file, which holds the checksum of the model's bytes too
};

/// The model in a file, every rule of schema/FORMAT.md checked but one: that names are unique,
/// which takes memory (class_table.h finds out). Trusts nothing but that `size` bytes can be read;
/// later code may trust all that it accepts.
bzscr_rt_status verify_model(const void* file, size_t size, VerifiedModel* model);

/// The model in a file that verify_model() accepted before and that nobody has changed since. Reads
/// the envelope, but not the model.
bzscr_rt_status find_verified_model(const void* file, size_t size, VerifiedModel* model);

}  // namespace bzscr::rt
