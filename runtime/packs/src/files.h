#pragma once

#include <bzscr_rt/bzscr_rt.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

/// Whole files. All throw Error, "PATH: why".
namespace bzscr::pack {

/// 32-byte aligned, as models and packs must be. Not mapped: a file that is replaced meanwhile
/// cannot pull the pages away.
Memory read_aligned(const std::string& path);
std::string read_text(const std::string& path);

bool exists(const std::string& path);

/// A file that is not there yet. \param mode  less the process's umask
void write_new(const std::string& path, const std::string& text, mode_t mode);

/// Whoever looks, even after a power cut, finds the old file or the whole new one.
void write_atomically(const std::string& path, const std::vector<std::uint8_t>& bytes);

}  // namespace bzscr::pack
