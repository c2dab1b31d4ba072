#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bzscr {

/// A file read in place: its bytes appear in memory as they are touched, and are never copied.
/// The file must keep its length while it is mapped; replacing it by rename is harmless.
class MappedFile {
 public:
  /// Throws InputError if the file is missing, not a regular file, unreadable or empty.
  explicit MappedFile(const std::string& path);
  /// The same of a file that is open; `path` is for sentences. The mapping outlives the descriptor.
  MappedFile(const std::string& path, int fd);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::uint8_t* data() const { return data_; }  ///< starts a page
  std::size_t size() const { return size_; }          ///< > 0
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Bytes of a mapped file that are not needed for a while: their memory is free until they are read
/// again.
void release_pages(const void* begin, std::size_t bytes);

}  // namespace bzscr
