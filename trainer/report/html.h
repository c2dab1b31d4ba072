#pragma once

#include <string>
#include <vector>

namespace bzscr::report {

/// Text as HTML shows it, also between double quotes: <, >, &, quotes escaped; control characters
/// and what is no UTF-8 become U+FFFD.
std::string escaped(const std::string& text);

/// A cell of a table.
struct Cell {
  std::string html;
  bool header = false;
  std::string attributes{};  ///< of the cell, with a space before each
};
Cell text_cell(
    const std::string& text);  ///< escaped, set apart from the direction of what is around it
Cell header_cell(const std::string& text);  ///< the same; heads its row
Cell number_cell(const std::string& text);

/// A table that scrolls by itself where it is wider than the screen, or, with `cards`, whose rows
/// become cards there.
/// \param columns  names; the first is that of the rows' headers
std::string table(const std::string& caption, const std::vector<std::string>& columns,
                  const std::vector<std::vector<Cell>>& rows, bool cards);

}  // namespace bzscr::report
