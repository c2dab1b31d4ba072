#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What the programs share at their edge: the command line and the model file.
namespace bzscr::cli {

constexpr int kExitBadInput = 2;

/// For Option::check: the value is one of these words; otherwise the nearest is named.
CLI::Validator one_of(std::vector<std::string> words);

/// Parses the command line. A value is the code to exit with at once: 0 after --help or --version,
/// kExitBadInput after one sentence on standard error, which for an unknown option names the nearest one.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv);

/// A file in memory that the runtime accepts: 32-byte aligned. Not mapped: a file that is replaced
/// meanwhile cannot pull the pages away.
struct AlignedFile {
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes;
  std::size_t size = 0;
};

/// Uninitialised memory, 32-byte aligned. Throws std::bad_alloc.
std::unique_ptr<std::uint8_t, AlignedFile::Free> aligned_memory(std::size_t size);

/// Throws std::runtime_error, "PATH: why".
AlignedFile read_aligned(const std::string& path);

}  // namespace bzscr::cli
