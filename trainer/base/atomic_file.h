#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bzscr {

/// Puts `bytes` at `path` so that whoever looks, even after a power cut, finds the old file or the
/// whole new one: a temporary file in the same folder, synced, then renamed, then the folder
/// synced. On failure nothing is left behind, the old file stays, and InputError says what went
/// wrong.
void write_file_atomically(const std::string& path, const std::vector<std::uint8_t>& bytes);

/// Throws the same InputError early, before hours of work, where the write is bound to fail: the
/// folder is missing or refuses new files, or the path is taken by something else.
void expect_writable(const std::string& path);

}  // namespace bzscr
