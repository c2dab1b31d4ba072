#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace bzscr {

/// Reads the bytes of a file, decompressed if it is gzipped, through a window that moves from the
/// beginning to the end. Throws InputError with the path if the file is missing, unreadable or a
/// damaged gzip file.
class ByteWindow {
 public:
  explicit ByteWindow(const std::string& path);

  /// The bytes of the window, at least `size`, or fewer at the end of the file. Valid until the
  /// next call of a member function.
  std::string_view peek(std::size_t size);
  void skip(std::size_t size) { begin_ += size; }  ///< at most the size of the last peek()
  double fraction() const;                         ///< of the file that was read; 0 for a pipe

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  void fill();

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  double file_bytes_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
};

}  // namespace bzscr
