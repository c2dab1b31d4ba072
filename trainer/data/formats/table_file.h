#pragma once

#include "data/formats/text_file.h"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// Reads a text table row by row. Cells are separated by commas in NAME.csv and by tabs in
/// NAME.tsv. The first line names the columns, each by another name, and every row has one cell per
/// column. A cell may be enclosed in double quotes, with inner quotes doubled. A cell never extends
/// over lines, so that row i, from 0, is line i + 2. Throws InputError with file and line for
/// anything else.
class TableFile {
 public:
  explicit TableFile(const std::string& path);

  const std::vector<std::string>& columns() const { return columns_; }
  /// The index of the column with this name; columns().size() if there is none.
  std::size_t column(const std::string& name) const;

  bool next();  ///< reads the next row; false after the last one
  const std::string& path() const { return text_.path(); }
  std::string where() const { return text_.where(); }  ///< "words.csv:12"
  std::size_t line() const { return text_.number(); }
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  /// The value of a cell with a finite number within float32 (number_text.h). If the number is
  /// missing, the message counts all rows without a number.
  double number(std::size_t column) const;
  /// Whether the number in a cell is written with a digit other than zero, be it 1e-400.
  bool is_written_nonzero(std::size_t column) const;

 private:
  void check_columns() const;
  void split(std::string_view line);
  std::string_view take_quoted(std::string_view& rest);
  [[noreturn]] void refuse_cell(std::size_t column, const std::string& text) const;

  TextFile text_;
  char separator_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unescaped_;  // cells that contain a quote
};

/// "; 12 rows are incomplete: lines 3, 7, ...", or empty if it is one: rows with an empty cell, or
/// one that stands for a number that is not known, such as NA.
std::string incomplete_rows(const std::string& path);

/// Whether the name of a file is that of a table: NAME.csv or NAME.tsv.
bool is_table(const std::string& path);

}  // namespace bzscr
