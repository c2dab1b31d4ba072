#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

namespace bzscr::cli {

/// Two digits a byte.
std::string hexadecimal(const std::uint8_t* bytes, std::size_t size);

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
