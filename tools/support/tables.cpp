#include "support/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace bzscr::cli {
namespace {

std::string spaces(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, width_of(text)), ' ');
}

}  // namespace

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string printable(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      shown += fmt::format("\\x{:02X}", byte);
    else
      shown += c;
  }
  return shown;
}

std::string left_aligned(const std::string& text, std::size_t width) {
  return text + spaces(text, width);
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return spaces(text, width) + text;
}

Table Table::names_and_numbers(const std::vector<std::string>& titles) {
  std::vector<Column> columns;
  for (const std::string& title : titles)
    columns.push_back({title, columns.empty() ? Align::kLeft : Align::kRight});
  return Table(std::move(columns));
}

std::vector<std::string> Table::titles() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  return titles;
}

std::vector<std::size_t> Table::widths() const {
  constexpr std::size_t kLeast = 3;  // what Markdown's rule takes
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    std::size_t width = std::max({kLeast, columns_[j].width, width_of(columns_[j].title)});
    for (const auto& cells : rows_)
      if (j < cells.size()) width = std::max(width, width_of(cells[j]));
    widths.push_back(width);
  }
  return widths;
}

std::string Table::row(const std::vector<std::string>& cells,
                       const std::vector<std::size_t>& widths, bool as_markdown) const {
  std::string line;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const std::string cell = j < cells.size() ? cells[j] : "";
    const std::string aligned = columns_[j].align == Align::kLeft ? left_aligned(cell, widths[j])
                                                                  : right_aligned(cell, widths[j]);
    line += as_markdown ? "| " + aligned + " " : (j == 0 ? "" : "  ") + aligned;
  }
  if (as_markdown) return line + "|\n";
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string Table::text() const {
  std::string text = row(titles(), widths(), false);
  for (const auto& cells : rows_) text += row(cells, widths(), false);
  return text;
}

std::string Table::markdown() const {
  std::string text = row(titles(), widths(), true);
  for (std::size_t j = 0; j < columns_.size(); ++j)
    text += "| " + std::string(widths()[j] - 1, '-') +
            (columns_[j].align == Align::kLeft ? "- " : ": ");
  text += "|\n";
  for (const auto& cells : rows_) text += row(cells, widths(), true);
  return text;
}

void print_table(const std::vector<std::vector<std::string>>& rows, bool markdown) {
  Table table = Table::names_and_numbers(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  fmt::print("{}", markdown ? table.markdown() : table.text());
}

std::string Table::heading_line() const { return line(titles()); }

std::string Table::line(const std::vector<std::string>& cells) const {
  std::vector<std::size_t> least;
  for (const Column& column : columns_)
    least.push_back(std::max(column.width, width_of(column.title)));
  return row(cells, least, false);
}

}  // namespace bzscr::cli
