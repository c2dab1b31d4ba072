#pragma once

#include <string>
#include <string_view>

namespace bzscr {

/// Throws InputError with the remedy for a file that stands for another one: a pointer of Git LFS,
/// or a file compressed in a format that is not read.
/// \param bytes  the beginning of the file
void refuse_foreign_file(const std::string& path, std::string_view bytes);

/// Whether a name ends like that of a compressed file: "features.npy.gz".
bool is_packed_name(const std::string& name);

}  // namespace bzscr
