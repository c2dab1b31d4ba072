#pragma once

#include <bzscr_rt/bzscr_rt.hpp>

#include <string>
#include <vector>

namespace bzscr::cli {

/// A whole file, 32-byte aligned as the runtime takes it. Not mapped: a file that is replaced
/// meanwhile changes nothing here. Throws InputError, "PATH: why".
Memory read_file(const std::string& path);
std::string read_text(const std::string& path);

/// Throws InputError if an output is the same file as an input or as another output, also through
/// links: one would replace the other. Of an input that is a folder, the files that a data set may
/// be read from are inputs. Throws, too, if an output is a key, which devices trust and nothing can
/// make again. Empty paths stand for files that were not asked for. Call it before
/// anything is written.
void expect_distinct(const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs);

}  // namespace bzscr::cli
