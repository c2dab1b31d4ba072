#pragma once

#include "base/mapped_file.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace bzscr {

/// Reads a text file line by line: with or without a byte order mark, lines ending in LF, CR LF or,
/// in a file without LF, CR, which the last line may lack. Blank lines after the last one that is
/// not blank are the end of the file. Does not check that the text is UTF-8. Throws InputError for
/// UTF-16, for a file that is blank, and for one that stands for another (foreign_file.h).
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
  char line_end_ = '\n';
  std::size_t number_ = 0;
};

/// The bytes that begin UTF-8 text in some files, as a byte order mark.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// Throws InputError for UTF-16.
void expect_not_utf16(const std::string& path, std::string_view text);

/// The text without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace bzscr
