#pragma once

#include "data/dataset.h"

#include <string>

namespace bzscr {

/// Writes a data set as a folder (dataset_folder.h), atomically. Reading it gives the same data
/// set, with the same hash.
/// \param replace  see expect_free_for_dataset()
void write_dataset(const Dataset& data, const std::string& path, bool replace);

/// Throws InputError unless write_dataset() can write there; call it before long computations. An
/// existing folder is replaced only if `replace` is set and it holds only files of a data set.
void expect_free_for_dataset(const std::string& path, bool replace);

}  // namespace bzscr
