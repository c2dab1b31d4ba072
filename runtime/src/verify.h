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
  uint32_t envelope_crc;  ///< envelope_crc32c of its file; covers the checksum of the model's bytes
};

/// Finds the model in a file and checks every rule of schema/FORMAT.md but one: names are unique,
/// which takes memory and is checked when the class table is filled. Assumes only that `size` bytes
/// can be read. All input is validated here; later code does not check it again.
bzscr_rt_status verify_model(const void* file, size_t size, VerifiedModel* model);

/// Finds the model in a file that verify_model() accepted before and that has not changed since.
/// Reads the envelope, but not the model.
bzscr_rt_status find_verified_model(const void* file, size_t size, VerifiedModel* model);

}  // namespace bzscr::rt
