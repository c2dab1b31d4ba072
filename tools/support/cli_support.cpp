#include "support/cli_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

namespace bzscr::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(path + ": " + std::strerror(errno));
}

}  // namespace

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string hexadecimal(const std::uint8_t* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

int run_program(const char* program, const std::function<void()>& work) try {
  work();
  return 0;
} catch (const std::runtime_error& error) {
  fmt::print(stderr, "{}: {}\n", program, error.what());
  return kExitBadInput;
} catch (const std::bad_alloc&) {
  fmt::print(stderr, "{}: out of memory\n", program);
  return 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}: {} (this is a bug)\n", program, error.what());
  return 1;
}

std::unique_ptr<std::uint8_t, AlignedFile::Free> aligned_memory(std::size_t size) {
  void* block = nullptr;
  if (posix_memalign(&block, 32, size) != 0) throw std::bad_alloc();
  return std::unique_ptr<std::uint8_t, AlignedFile::Free>(static_cast<std::uint8_t*>(block));
}

AlignedFile read_aligned(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) fail(path);
  const long size = std::ftell(file.get());
  if (size < 0 || std::fseek(file.get(), 0, SEEK_SET) != 0) fail(path);
  if (size == std::numeric_limits<long>::max())
    throw std::runtime_error(path + ": expected a file, found a folder");
  AlignedFile read{aligned_memory(static_cast<std::size_t>(size)), static_cast<std::size_t>(size)};
  if (std::fread(read.bytes.get(), 1, read.size, file.get()) != read.size) fail(path);
  return read;
}

}  // namespace bzscr::cli
