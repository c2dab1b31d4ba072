#pragma once

#include "data/dataset.h"

#include <string>

namespace bzscr {

/// Writes a data set as a folder (dataset_folder.h) that appears at once and whole. What is read
/// from it is the same data set, with the same hash.
/// \param replace  see expect_free_for_dataset()
void write_dataset(const Dataset& data, const std::string& path, bool replace);

/// Throws InputError, before the work, unless write_dataset() may write there. A folder that is
/// there is replaced only if that is asked for, and only if it holds nothing but files of a data
/// set.
void expect_free_for_dataset(const std::string& path, bool replace);

}  // namespace bzscr
