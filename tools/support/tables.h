#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bzscr::cli {

/// Columns that UTF-8 text takes on a terminal, where every character takes one: its continuation
/// bytes take none.
std::size_t width_of(const std::string& text);

/// Text of a file, as it is printed: control characters, which move the cursor of a terminal or begin
/// a line of their own, as \xNN.
std::string printable(const std::string& text);

/// Text with spaces after it, or before it, to a width.
std::string left_aligned(const std::string& text, std::size_t width);
std::string right_aligned(const std::string& text, std::size_t width);

/// A table of text, its columns aligned.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
    std::size_t width = 0;  ///< at least; for rows that are printed before the next is known
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// The first column is aligned left, the others right.
  static Table names_and_numbers(const std::vector<std::string>& titles);

  /// \param cells  one a column; where there are fewer, the rest is empty
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Heading and all rows, a line each.
  std::string text() const;
  std::string markdown() const;

  /// A line of its own, by the least widths alone.
  std::string heading_line() const;
  std::string line(const std::vector<std::string>& cells) const;

 private:
  std::vector<std::string> titles() const;
  std::vector<std::size_t> widths() const;
  std::string row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                  bool as_markdown) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Prints a table on standard output, the first row its header, the first column to the left and the
/// others to the right. \param markdown  as GitHub renders it
void print_table(const std::vector<std::vector<std::string>>& rows, bool markdown = false);

}  // namespace bzscr::cli
