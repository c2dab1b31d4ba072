#pragma once

#include "base/mapped_file.h"

#include <map>
#include <string>

namespace bzscr {

enum class MatVersion { k5, k73 };

/// The version in the header of a MATLAB file. Throws InputError for other versions and for files
/// that are not MATLAB files.
MatVersion mat_version(const std::string& path, const MappedFile& file);

/// Throws InputError unless the variables of a v5 file fill it to its last byte and compressed ones
/// unpack with a correct checksum. The contents of the variables are not checked. Returns the
/// variables that hold an object, which libmatio passes over, with their class: {"names", "string"}.
std::map<std::string, std::string> expect_whole_mat5(const std::string& path,
                                                     const MappedFile& file);

}  // namespace bzscr
