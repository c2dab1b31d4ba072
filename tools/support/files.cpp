#include "support/files.h"

#include <bzscr_train/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

namespace bzscr::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail(const std::string& path) {
  throw InputError(Place{path}, std::strerror(errno), "", ErrorKind::kSystem);
}

}  // namespace

Memory read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) fail(path);
  const long size = std::ftell(file.get());
  if (size < 0 || std::fseek(file.get(), 0, SEEK_SET) != 0) fail(path);
  if (size == std::numeric_limits<long>::max())
    throw InputError(path, "expected a file, found a folder");
  Memory bytes(static_cast<std::size_t>(size));
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(path);
  return bytes;
}

std::string read_text(const std::string& path) {
  const Memory bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace bzscr::cli
