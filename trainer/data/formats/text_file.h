#pragma once

#include "base/mapped_file.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace bzscr {

/// Reads a text file line by line: with or without a byte order mark, lines ending in LF or CR LF,
/// which the last line may lack. Does not check that they are UTF-8. Throws InputError for UTF-16
/// and for a file without a line.
class TextFile {
 public:
  explicit TextFile(const std::string& path);

  bool next();                                     ///< reads a line; false after the last one
  std::string_view line() const { return line_; }  ///< without its ending
  std::size_t number() const { return number_; }   ///< from 1
  std::string where() const;                       ///< "classes.txt:12"
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  MappedFile file_;
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

/// The text without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace bzscr
