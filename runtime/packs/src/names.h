#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bzscr::pack {

/// The lines of a text file, without LF or CR LF, and without a byte order mark. Blank lines behind
/// the last are the end of the file.
std::vector<std::string> read_lines(const std::string& path);

/// Without white space around it.
std::string_view trimmed(std::string_view text);

/// Class names of a text file, one a line. Throws Error for a blank line, a name given twice,
/// control characters, or bytes that are not UTF-8.
std::vector<std::string> read_names(const std::string& path);

/// Holds names to these rules. names[i] stands in line first_line + i.
void check_names(const std::string& path, const std::vector<std::string>& names,
                 std::size_t first_line);

}  // namespace bzscr::pack
