#include "data/formats/table_file.h"

#include <bzscr_train/error.hpp>
#include "data/formats/listing.h"
#include "data/formats/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>

namespace bzscr {
namespace {

constexpr const char* kWithoutIndex =
    " (of a table without a row index: in pandas to_csv(index=False), in R row.names=FALSE)";

/// Whether a cell stands for a number that is not known.
bool is_missing(std::string_view cell) {
  static const std::set<std::string_view> words = {"",    "NA",  "N/A",  "na",   "n/a",  "nan",
                                                   "NaN", "NAN", "null", "NULL", "None", "none",
                                                   "?",   "-",   "#N/A", "<NA>", "."};
  return words.count(cell) != 0;
}

/// The beginning of a cell, for messages.
std::string shown(std::string_view cell) {
  constexpr std::size_t kMost = 40;
  return cell.size() <= kMost ? std::string(cell) : std::string(cell.substr(0, kMost)) + "...";
}

bool has_extension(const std::string& path, const char* extension) {
  return std::filesystem::path(path).extension() == extension;
}

}  // namespace

std::string incomplete_rows(const std::string& path) {
  Listing lines;
  try {
    TableFile table(path);
    while (table.next())
      for (std::size_t j = 0; j < table.columns().size(); ++j)
        if (is_missing(trimmed(table.cell(j)))) {
          lines.add(std::to_string(table.line()));
          break;
        }
  } catch (const InputError&) {
    return "";  // a later row is malformed: not all of them can be counted
  }
  return lines.count() < 2
             ? ""
             : fmt::format("; {} rows are incomplete: lines {}", lines.count(), lines.text());
}

bool is_table(const std::string& path) {
  return has_extension(path, ".csv") || has_extension(path, ".tsv");
}

TableFile::TableFile(const std::string& path)
    : text_(path), separator_(has_extension(path, ".tsv") ? '\t' : ',') {
  text_.next();
  split(text_.line());
  for (const std::string_view cell : cells_) columns_.emplace_back(trimmed(cell));
  if (separator_ == ',' && columns_.size() == 1 && columns_[0].find(';') != std::string::npos)
    throw InputError(where(), "has semicolons between its cells; expected commas");
  check_columns();
}

void TableFile::check_columns() const {
  std::set<std::string> names;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const std::string& name = columns_[j];
    const bool unnamed = name.rfind("Unnamed: ", 0) == 0;  // what pandas reads and writes again
    const bool is_index = unnamed || (name.empty() && j == 0);
    if (name.empty() || unnamed)
      throw InputError(where(), fmt::format("column {} has no name{}; expected a name for every "
                                            "column{}",
                                            j + 1, is_index ? " and looks like a row index" : "",
                                            is_index ? kWithoutIndex : ""));
    if (names.insert(name).second) continue;
    if (parse_number(name))
      throw InputError(where(), "holds numbers; expected the names of the columns");
    throw InputError(path(), fmt::format("has two columns '{}'; expected one", shown(name)));
  }
}

std::size_t TableFile::column(const std::string& name) const {
  return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) -
                                  columns_.begin());
}

bool TableFile::next() {
  if (!text_.next()) return false;
  split(text_.line());
  if (cells_.size() == columns_.size()) return true;
  if (text_.line().empty()) throw InputError(where(), "line is blank; expected a row");
  const bool has_index = line() == 2 && cells_.size() == columns_.size() + 1;
  throw InputError(where(), fmt::format("has {} cell{}; expected {}, as in the first line{}",
                                        cells_.size(), cells_.size() == 1 ? "" : "s",
                                        columns_.size(), has_index ? kWithoutIndex : ""));
}

double TableFile::number(std::size_t column) const {
  const std::string_view text = trimmed(cells_[column]);
  const std::optional<double> value = parse_number(text);
  if (value && std::abs(*value) <= std::numeric_limits<float>::max()) return *value;
  const std::string others = is_missing(text) ? incomplete_rows(path()) : "";
  if (text.empty()) refuse_cell(column, "is empty; expected a number" + others);
  if (!value) refuse_cell(column, fmt::format("'{}' is not a number{}", shown(text), others));
  refuse_cell(column,
              fmt::format("{} is not a finite number within float32{}", shown(text), others));
}

bool TableFile::is_written_nonzero(std::size_t column) const {
  const std::string_view text = cells_[column];
  const std::string_view digits = text.substr(0, text.find_first_of("eE"));
  return digits.find_first_of("123456789") != std::string_view::npos;
}

void TableFile::refuse_cell(std::size_t column, const std::string& text) const {
  const std::string name =
      column < columns_.size() ? fmt::format(" ('{}')", shown(columns_[column])) : "";
  throw InputError(where(), fmt::format("cell {}{}: {}", column + 1, name, text));
}

/// Splits a line into cells_: views of the line, or of unescaped_ for cells that contain a quote.
void TableFile::split(std::string_view rest) {
  cells_.clear();
  unescaped_.clear();
  while (true) {
    if (!rest.empty() && rest[0] == '"') {
      cells_.push_back(take_quoted(rest));
    } else {
      const std::string_view cell = rest.substr(0, rest.find(separator_));
      if (cell.find('"') != std::string_view::npos)
        refuse_cell(cells_.size(),
                    "has a quote inside; expected the whole cell in quotes and this quote doubled");
      cells_.push_back(cell);
      rest.remove_prefix(cell.size());
    }
    if (rest.empty()) return;
    if (rest[0] != separator_) refuse_cell(cells_.size() - 1, "continues after its closing quote");
    rest.remove_prefix(1);
  }
}

/// Removes a quoted cell from the beginning of `rest` and returns it.
std::string_view TableFile::take_quoted(std::string_view& rest) {
  std::string text;
  for (std::size_t begin = 1;;) {
    const std::size_t quote = rest.find('"', begin);
    if (quote == std::string_view::npos)
      refuse_cell(cells_.size(), "has no closing quote in its line");
    const bool doubled = quote + 1 < rest.size() && rest[quote + 1] == '"';
    text.append(rest.substr(begin, quote - begin + (doubled ? 1 : 0)));
    begin = quote + (doubled ? 2 : 1);
    if (doubled) continue;
    rest.remove_prefix(begin);
    return unescaped_.emplace_back(std::move(text));
  }
}

}  // namespace bzscr
