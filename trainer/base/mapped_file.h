#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bzscr {

/// A read-only memory-mapped file. The file must keep its length and content while it is mapped;
/// replacing it by rename is safe. Reading a page that the file has lost raises SIGBUS: see
/// FileState.
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

/// Notices that a file became shorter or was written to while it was mapped. Pages that it lost
/// raise SIGBUS, which a library must leave to the process; the end of its last page reads as zeros,
/// and what was written as any other value, without any signal. Call expect_kept() between passes
/// over the file, and before their result is used.
class FileState {
 public:
  /// Of the file that the path names now.
  explicit FileState(std::string path);
  /// Throws InputError if that file is shorter now, or has another time of modification. A file that
  /// was replaced by rename or removed keeps its mapped content.
  void expect_kept() const;

 private:
  std::string path_;
  std::uint64_t device_ = 0, inode_ = 0, bytes_ = 0;
  std::int64_t seconds_ = 0, nanoseconds_ = 0;  ///< of the last modification
};

/// Releases the pages of a mapped file (madvise) that lie in this range. They are read from the
/// file again on the next access.
void release_pages(const void* begin, std::size_t bytes);

}  // namespace bzscr
