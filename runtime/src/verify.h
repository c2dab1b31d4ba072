#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>

namespace bzscr::format {
struct Model;
}

namespace bzscr::rt {

/// The model in a file, every rule of schema/FORMAT.md checked but one: that names are unique,
/// which takes memory (class_table.h finds out). Trusts nothing but that `size` bytes can be read;
/// later code may trust all that it accepts.
bzscr_rt_status verify_model(const void* file, size_t size, const format::Model** model);

}  // namespace bzscr::rt
