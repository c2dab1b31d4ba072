#pragma once

#include <string>
#include <vector>

namespace bzscr::cli {

/// Prints a table on standard output, the first row its header: columns aligned, the first one to the
/// left and the others to the right, by width_of(). \param markdown  as GitHub renders it
void print_table(const std::vector<std::vector<std::string>>& rows, bool markdown = false);

}  // namespace bzscr::cli
