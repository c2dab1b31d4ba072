#pragma once

#include "types/linalg.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bzscr {

enum class VectorFormat {
  kGlove,           ///< lines: a word, then its d numbers
  kWord2vecText,    ///< the same after a first line "N d"
  kWord2vecBinary,  ///< "N d", then N times: a word, a blank, d little-endian float32, maybe a line
                    ///< end
};

const char* name_of(VectorFormat format);  ///< "glove"

class ByteWindow;

/// A file of word vectors, plain or gzipped, read once from the beginning to the end: memory stays
/// at a few megabytes, whatever the file's size. Only the vectors that are asked for are parsed,
/// but every row must have the right length, and as many rows must follow as a header promises. A
/// word of a text file may hold blanks. Members throw InputError beginning with the path, then the
/// line (text, from 1) or row (binary, from 0).
class WordVectorFile {
 public:
  /// \param format  empty: detected by how the file begins
  WordVectorFile(const std::string& path, std::optional<VectorFormat> format);
  ~WordVectorFile();

  const std::string& path() const { return path_; }
  VectorFormat format() const { return format_; }
  Index dimension() const { return dimension_; }  ///< d, at least 1
  std::uint64_t words() const { return rows_; }   ///< that next() has left behind: at the end, all
  double fraction() const;  ///< of the file that has been read, as far as it is known

  /// Goes on to the next word; false at the end.
  bool next();
  std::string_view word() const { return word_; }  ///< until next() is called
  VectorF vector() const;                          ///< of that word, d finite numbers

 private:
  std::string where() const;
  void begin(std::optional<VectorFormat> format);
  Index numbers_in(std::string_view line) const;
  bool next_line();
  bool next_binary();
  void split_line(std::string_view line);
  std::string_view peek_line();
  float number(std::string_view field, Index column) const;

  std::string path_;
  std::unique_ptr<ByteWindow> window_;
  VectorFormat format_ = VectorFormat::kGlove;
  Index dimension_ = 0;
  std::optional<std::uint64_t> promised_;  // rows, by the header
  std::uint64_t rows_ = 0;
  std::size_t taken_ = 0;           // bytes of the window that the present row takes
  std::string_view word_, values_;  // in the window
};

}  // namespace bzscr
