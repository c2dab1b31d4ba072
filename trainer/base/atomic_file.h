#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bzscr {

/// Writes a file atomically: at any time, also after a power cut, `path` is the old file or the
/// complete new one. It writes a temporary file in the same folder, syncs it, renames it and syncs
/// the folder. On failure it removes the temporary file, keeps the old file and throws InputError.
void write_file_atomically(const std::string& path, const std::vector<std::uint8_t>& bytes);

/// Throws the same InputError if write_file_atomically() would fail: the folder is missing or not
/// writable, or the path is not a regular file. Call it before long computations.
void expect_writable(const std::string& path);

}  // namespace bzscr
