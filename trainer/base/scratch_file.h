#pragma once

#include "base/mapped_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// An unnamed file in the folder for temporary files (TMPDIR, else /tmp) for numbers that are
/// unpacked or converted before use. The system can release pages of a mapped file and read them
/// again, so features may be larger than memory. The system deletes the file with its last user.
class ScratchFile {
 public:
  /// \param path  the file whose content it holds, for error messages
  explicit ScratchFile(const std::string& path);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(const void* bytes, std::size_t size);
  void flush();  ///< call it before another process maps the appended bytes

  /// Maps all appended bytes, of which there must be at least one.
  std::shared_ptr<const MappedFile> map();

 private:
  void write(const std::uint8_t* bytes, std::size_t size);
  [[noreturn]] void fail() const;

  std::string path_, folder_;
  int fd_ = -1;
  std::vector<std::uint8_t> waiting_;  // buffer for small writes
};

}  // namespace bzscr
