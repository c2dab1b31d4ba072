#pragma once

#include <string>
#include <vector>

namespace bzscr::report {

/// Escapes text for HTML, also for attributes: <, >, & and quotes are escaped; control characters
/// and invalid UTF-8 become U+FFFD.
std::string escaped(const std::string& text);

/// A cell of a table.
struct Cell {
  std::string html;
  bool header = false;
  std::string attributes{};  ///< of the cell, with a space before each
};
Cell text_cell(const std::string& text);    ///< escaped, with its own text direction (<bdi>)
Cell header_cell(const std::string& text);  ///< the same, as the header of a row
Cell number_cell(const std::string& text);

/// A table that scrolls horizontally if it is wider than the screen; with `cards`, its rows become
/// cards on narrow screens.
/// \param columns  names of the columns; the first holds the headers of the rows
std::string table(const std::string& caption, const std::vector<std::string>& columns,
                  const std::vector<std::vector<Cell>>& rows, bool cards);

}  // namespace bzscr::report
