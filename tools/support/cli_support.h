#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

/// What the programs share at their edge, beside the command line: codes of exit, text and the
/// model file.
namespace bzscr::cli {

constexpr int kExitBadInput = 2;

/// In the order of bzscr_rt_storage.
constexpr const char* kStorages[] = {"float32", "int8", "float16"};

/// Columns that UTF-8 text takes on a terminal, where every character takes one: its continuation
/// bytes take none.
std::size_t width_of(const std::string& text);

/// Two digits a byte.
std::string hexadecimal(const std::uint8_t* bytes, std::size_t size);

/// The rest of a main(): 0 after `work`; kExitBadInput after a std::runtime_error, which is the
/// user's to mend; 1 after any other exception, which is a bug. The text of the exception goes to
/// standard error after the program's name.
int run_program(const char* program, const std::function<void()>& work);

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
