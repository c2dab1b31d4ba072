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
  kWord2vecBinary,  ///< "N d", then N times: word, blank, d float32 (little-endian), [line end]
};

const char* name_of(VectorFormat format);  ///< "glove"

class ByteWindow;

/// A file of word vectors, plain or gzipped, that is read once from the beginning to the end in a
/// few megabytes of memory. Only requested vectors are parsed, but every row must have the right
/// length. The number of rows must be that of the header, except that a text file may hold fewer or
/// more whole lines. A word of a text file may contain or consist of blanks: the numbers are the
/// last d fields of a line. Members throw InputError with the path and the line (text, from 1) or
/// row (binary, from 0).
class WordVectorFile {
 public:
  /// \param format  empty: detected from the beginning of the file
  WordVectorFile(const std::string& path, std::optional<VectorFormat> format);
  ~WordVectorFile();

  const std::string& path() const { return path_; }
  VectorFormat format() const { return format_; }
  Index dimension() const { return dimension_; }  ///< d, at least 1
  std::uint64_t words() const { return rows_; }   ///< read so far; after the last one, all
  double fraction() const;                        ///< of the file that was read; 0 for a pipe
  /// After the last word: a warning about a header that announces another number of words; empty:
  /// there is none.
  std::string note() const;

  /// Reads the next word; false at the end.
  bool next();
  std::string_view word() const { return word_; }  ///< valid until the next call of next()
  VectorF vector() const;                          ///< of that word, d finite numbers

 private:
  std::string where() const;
  void begin(std::optional<VectorFormat> format);
  Index numbers_in(std::string_view line) const;
  bool next_line();
  bool only_blank_lines_follow();
  bool next_binary();
  void expect_all_rows() const;
  void split_line(std::string_view line);
  std::string_view peek_line();
  float number(std::string_view field, Index column) const;

  std::string path_;
  std::unique_ptr<ByteWindow> window_;
  VectorFormat format_ = VectorFormat::kGlove;
  Index dimension_ = 0;
  std::optional<std::uint64_t> promised_;  // number of rows in the header
  std::uint64_t rows_ = 0;
  char line_end_ = '\n';            // of a text file
  bool ends_with_line_ = true;      // the current line has an end
  std::size_t taken_ = 0;           // bytes of the window that the current row occupies
  std::string_view word_, values_;  // in the window
};

}  // namespace bzscr
