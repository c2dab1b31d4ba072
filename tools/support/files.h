#pragma once

#include <bzscr_rt/bzscr_rt.hpp>

#include <string>

namespace bzscr::cli {

/// A whole file, 32-byte aligned as the runtime takes it. Not mapped: a file that is replaced
/// meanwhile changes nothing here. Throws InputError, "PATH: why".
Memory read_file(const std::string& path);
std::string read_text(const std::string& path);

}  // namespace bzscr::cli
