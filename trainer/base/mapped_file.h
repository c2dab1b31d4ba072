#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bzscr {

/// A read-only memory-mapped file. The file must keep its length while it is mapped; replacing it
/// by rename is safe.
class MappedFile {
 public:
  /// Throws InputError if the file is missing, not a regular file, unreadable or empty.
  explicit MappedFile(const std::string& path);
  /// The same for an open file; `path` is for messages. The mapping outlives the descriptor.
  MappedFile(const std::string& path, int fd);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::uint8_t* data() const { return data_; }  ///< aligned to a page
  std::size_t size() const { return size_; }          ///< > 0
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Releases the pages of a mapped file (madvise) that lie in this range. They are read from the
/// file again on the next access.
void release_pages(const void* begin, std::size_t bytes);

}  // namespace bzscr
