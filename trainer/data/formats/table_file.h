#pragma once

#include "data/formats/text_file.h"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// A table as text, row by row: commas between cells in NAME.csv, tabs in NAME.tsv. The first line
/// names the columns, and every row has a cell for each. A cell may stand in double quotes, with a
/// quote inside written twice; it never goes on in the next line, so that row i, from 0, is line i
/// + 2. Throws InputError naming file and line for anything else.
class TableFile {
 public:
  explicit TableFile(const std::string& path);

  const std::vector<std::string>& columns() const { return columns_; }
  /// The column of this name; columns().size() if there is none. Throws InputError where there are
  /// two.
  std::size_t column(const std::string& name) const;

  bool next();  ///< the next row; false after the last one
  const std::string& path() const { return text_.path(); }
  std::string where() const { return text_.where(); }  ///< "words.csv:12"
  std::size_t line() const { return text_.number(); }
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  /// A cell that holds a finite number within float32, written as 1, -2.5 or 1e-3.
  double number(std::size_t column) const;

 private:
  void split(std::string_view line);
  std::string_view take_quoted(std::string_view& rest);
  [[noreturn]] void refuse_cell(std::size_t column, const std::string& text) const;

  TextFile text_;
  char separator_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unescaped_;  // cells with a quote inside
};

/// Whether a file is read as a table: NAME.csv or NAME.tsv.
bool is_table(const std::string& path);

}  // namespace bzscr
