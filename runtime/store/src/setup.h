#pragma once

#include "bzscr_store/bzscr_store.h"

#include <stddef.h>

namespace bzscr::store {

/// Whether a release up to this one had a bzscr_store_info of this size. Any other was never set, or
/// is of a newer release: nothing is read or written beyond what both sides know.
bool is_info_size(size_t struct_size);

/// A caller's configuration, complete, and what the runtime says of its table.
struct Setup {
  bzscr_store_config config;
  bzscr_rt_info info;
};

/// False for what cannot be: see bzscr_store_config.
bool read_setup(const bzscr_store_config* given, Setup* setup);

/// Whether two files hold one model; what is around it may differ, by a signature.
/// \param file   of a caller: a model, if it begins as one
/// \param other  verified
bool is_same_model(const void* file, const void* other);

}  // namespace bzscr::store
