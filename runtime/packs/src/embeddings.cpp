#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"
#include "names.h"
#include "npy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace bzscr::pack {
namespace {

bool ends_with(const std::string& path, const std::string& ending) {
  return path.size() > ending.size() &&
         path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
}

bool is_table(const std::string& path) {
  return ends_with(path, ".csv") || ends_with(path, ".tsv");
}

float number_of(std::string_view text, const std::string& where) {
  std::string shown(text.substr(0, 40));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);  // which from_chars does not take
  double value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (stopped != text.data() + text.size() || error == std::errc::invalid_argument)
    throw Error(where, "'" + shown + "' is not a number");
  if (error != std::errc() || !(std::abs(value) <= std::numeric_limits<float>::max()))
    throw Error(where, shown + " is not a finite number within float32");
  return static_cast<float>(value);
}

/// The cells of a line; one may stand in double quotes, with quotes inside doubled.
std::vector<std::string> cells_of(const std::string& line, char separator,
                                  const std::string& where) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (quoted && c == '"') {
      quoted = false;
      if (i + 1 < line.size() && line[i + 1] != separator)
        throw Error(where,
                    "cell " + std::to_string(cells.size()) + " goes on after its closing quote");
    } else if (!quoted && c == '"') {
      if (!cells.back().empty())
        throw Error(where, "cell " + std::to_string(cells.size()) +
                               " has a quote inside; expected the whole cell in quotes");
      quoted = true;
    } else if (!quoted && c == separator)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  if (quoted) throw Error(where, "opens a quote that its line does not close");
  return cells;
}

Embeddings read_table(const std::string& path) {
  const char separator = ends_with(path, ".tsv") ? '\t' : ',';
  const std::vector<std::string> lines = read_lines(path);
  if (lines.size() < 2) throw Error(path, "expected a line that names the columns, then rows");
  std::vector<std::string> columns = cells_of(lines[0], separator, path + ":1");
  for (std::string& column : columns) column = trimmed(column);
  const auto key = std::find(columns.begin(), columns.end(), "class");
  if (key == columns.end() || std::find(key + 1, columns.end(), "class") != columns.end())
    throw Error(path, "expected one column 'class', which says whose embedding a row is");

  Embeddings read;
  read.source = path;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string where = path + ":" + std::to_string(i + 1);
    const std::vector<std::string> cells = cells_of(lines[i], separator, where);
    if (cells.size() != columns.size())
      throw Error(where, "has " + std::to_string(cells.size()) + " cells; expected " +
                             std::to_string(columns.size()) + ", as in the first line");
    read.rows.emplace_back();
    for (std::size_t j = 0; j < cells.size(); ++j)
      if (j == static_cast<std::size_t>(key - columns.begin()))
        read.names.emplace_back(trimmed(cells[j]));
      else
        read.rows.back().push_back(
            number_of(trimmed(cells[j]), where + ": cell " + std::to_string(j + 1)));
  }
  check_names(path, read.names, 2);
  return read;
}

}  // namespace

std::vector<float> parse_numbers(const std::string& text, const std::string& where) {
  constexpr const char* kBetween = " \t\r\n,";
  std::vector<float> numbers;
  for (std::size_t at = 0, end = 0; (at = text.find_first_not_of(kBetween, end)) != text.npos;) {
    const auto commas = std::count(text.begin() + static_cast<std::ptrdiff_t>(end),
                                   text.begin() + static_cast<std::ptrdiff_t>(at), ',');
    if (commas > (numbers.empty() ? 0 : 1))
      throw Error(where, "value " + std::to_string(numbers.size() + 1) +
                             " is empty; expected a number between two commas");
    end = std::min(text.find_first_of(kBetween, at), text.size());
    numbers.push_back(number_of(std::string_view(text).substr(at, end - at), where));
  }
  return numbers;
}

Embeddings read_embeddings(const std::string& path, const std::string& names) {
  if (is_table(path) && !names.empty())
    throw Error(path, "a table names its classes itself; expected no " + names + " beside it");
  if (is_table(path)) return read_table(path);
  if (names.empty())
    throw Error(path, "a .npy file needs names: a text file of class names, a line for each row");
  Embeddings read{path, read_names(names), read_npy(path)};
  if (read.rows.size() != read.names.size())
    throw Error(path, std::to_string(read.rows.size()) + " rows, but " +
                          std::to_string(read.names.size()) + " names in " + names);
  return read;
}

std::vector<float> read_embedding(const std::string& path, const std::string& name,
                                  std::optional<std::uint32_t> row) {
  if (row && !ends_with(path, ".npy"))
    throw Error(path, "a row is asked for by number; expected a .npy file");
  if (is_table(path)) {
    Embeddings read = read_table(path);
    const auto found = std::find(read.names.begin(), read.names.end(), name);
    if (found == read.names.end()) throw Error(path, "no row of class '" + name + "'");
    return read.rows[static_cast<std::size_t>(found - read.names.begin())];
  }
  if (!ends_with(path, ".npy")) return parse_numbers(read_text(path), path);
  const std::vector<std::vector<float>> rows = read_npy(path);
  if (!row && rows.size() > 1) throw SeveralRows(path, rows.size());
  const std::uint32_t wanted = row.value_or(0);
  if (wanted >= rows.size())
    throw Error(path, "row " + std::to_string(wanted) + " is asked for, and there are " +
                          std::to_string(rows.size()));
  return rows[wanted];
}

}  // namespace bzscr::pack
