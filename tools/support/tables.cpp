#include "support/tables.h"

#include "support/cli_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace bzscr::cli {

void print_table(const std::vector<std::vector<std::string>>& rows, bool markdown) {
  std::vector<std::size_t> widths(rows.front().size(), 3);
  for (const auto& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], width_of(row[j]));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      const std::string room(widths[j] - width_of(rows[i][j]), ' ');
      const std::string cell = j == 0 ? rows[i][j] + room : room + rows[i][j];
      line += markdown ? "| " + cell + " " : (j == 0 ? "" : "  ") + cell;
    }
    fmt::print("{}{}\n", line, markdown ? "|" : "");
    if (!markdown || i > 0) continue;
    for (std::size_t j = 0; j < widths.size(); ++j)
      fmt::print("| {}{} ", std::string(widths[j] - 1, '-'), j == 0 ? "-" : ":");
    fmt::print("|\n");
  }
}

}  // namespace bzscr::cli
