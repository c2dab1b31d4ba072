#pragma once

#include "base/mapped_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// Room for numbers that must be unpacked or converted before they can be used in place: a file
/// without a name in the folder for temporary files (TMPDIR, else /tmp). Not memory: what is mapped
/// from a file the system can drop and read again, so features larger than memory stay usable. It
/// is gone with its last user, however the process ends.
class ScratchFile {
 public:
  /// \param path  whose contents it is for; InputError begins with it where there is no room
  explicit ScratchFile(const std::string& path);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(const void* bytes, std::size_t size);
  void flush();  ///< before another process maps what this one appended

  /// All that was appended, at least one byte.
  std::shared_ptr<const MappedFile> map();

 private:
  void write(const std::uint8_t* bytes, std::size_t size);
  [[noreturn]] void fail() const;

  std::string path_, folder_;
  int fd_ = -1;
  std::vector<std::uint8_t> waiting_;  // small pieces are written together
};

}  // namespace bzscr
