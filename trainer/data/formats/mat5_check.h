#pragma once

#include "base/mapped_file.h"

#include <string>

namespace bzscr {

enum class MatVersion { k5, k73 };

/// The version that a MATLAB file claims. Throws InputError for another one and for what is no
/// MATLAB file.
MatVersion mat_version(const std::string& path, const MappedFile& file);

/// Throws InputError unless the variables of a v5 file fill it to its last byte, and what is
/// compressed unpacks to its checksum. What is inside the variables is not looked at.
void expect_whole_mat5(const std::string& path, const MappedFile& file);

}  // namespace bzscr
