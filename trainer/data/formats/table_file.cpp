#include "data/formats/table_file.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

namespace bzscr {
namespace {

/// The beginning of a cell, for messages.
std::string shown(std::string_view cell) {
  constexpr std::size_t kMost = 40;
  return cell.size() <= kMost ? std::string(cell) : std::string(cell.substr(0, kMost)) + "...";
}

bool has_extension(const std::string& path, const char* extension) {
  return std::filesystem::path(path).extension() == extension;
}

}  // namespace

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
}

std::size_t TableFile::column(const std::string& name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found != columns_.end() && std::find(found + 1, columns_.end(), name) != columns_.end())
    throw InputError(path(), fmt::format("has two columns '{}'; expected one", name));
  return static_cast<std::size_t>(found - columns_.begin());
}

bool TableFile::next() {
  if (!text_.next()) return false;
  split(text_.line());
  if (cells_.size() == columns_.size()) return true;
  if (text_.line().empty()) throw InputError(where(), "line is blank; expected a row");
  throw InputError(where(),
                   fmt::format("has {} cell{}; expected {}, as in the first line", cells_.size(),
                               cells_.size() == 1 ? "" : "s", columns_.size()));
}

double TableFile::number(std::size_t column) const {
  std::string_view text = trimmed(cells_[column]);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);  // from_chars does not accept it
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty()) refuse_cell(column, "is empty; expected a number");
  if (stopped != end || error == std::errc::invalid_argument)
    refuse_cell(column, fmt::format("'{}' is not a number", shown(text)));
  if (error != std::errc() || !(std::abs(value) <= std::numeric_limits<float>::max()))
    refuse_cell(column, fmt::format("{} is not a finite number within float32", shown(text)));
  return value;
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
