#include "base/foreign_file.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace bzscr {
namespace {

struct Packer {
  std::string_view begins;  // with these bytes
  const char *extension, *format, *unpack;
};
constexpr Packer kPackers[] = {
    {"BZh", ".bz2", "bzip2", "bzip2 -d"},
    {"\xFD\x37zXZ", ".xz", "xz", "xz -d"},
    {"\x28\xB5\x2F\xFD", ".zst", "zstd", "zstd -d"},
    {"7z\xBC\xAF\x27\x1C", ".7z", "7-Zip", "7z x"},
    {"Rar!\x1A\x07", ".rar", "RAR", "unrar x"},
};

bool begins_with(std::string_view bytes, std::string_view text) {
  return bytes.substr(0, text.size()) == text;
}

}  // namespace

void refuse_foreign_file(const std::string& path, std::string_view bytes) {
  if (begins_with(bytes, "version https://git-lfs.github.com/spec/"))
    throw InputError(path, "is a pointer of Git LFS; expected the file itself: git lfs pull");
  for (const Packer& packer : kPackers)
    if (begins_with(bytes, packer.begins))
      throw InputError(path, fmt::format("is compressed by {}; expected it unpacked: {}",
                                         packer.format, packer.unpack));
}

bool is_packed_name(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  return extension == ".gz" || extension == ".zip" ||
         std::any_of(std::begin(kPackers), std::end(kPackers),
                     [&](const Packer& packer) { return extension == packer.extension; });
}

}  // namespace bzscr
