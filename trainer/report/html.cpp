#include "report/html.h"

#include <cstdint>

namespace bzscr::report {
namespace {

const char* const kReplacement = "\xEF\xBF\xBD";

// Bytes of the UTF-8 character at text[at]; 0: none that is well formed.
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto continued = [&](std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i)
      if ((byte(at + i) & 0xC0) != 0x80) return false;
    return true;
  };
  const std::uint8_t first = byte(at), second = byte(at + 1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continued(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0,
               surrogate = first == 0xED && second > 0x9F;
    return continued(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90,
               orthogonal_residual = first == 0xF4 && second > 0x8F;
    return continued(3) && !overlong && !orthogonal_residual ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const char c = text[at];
    if (length == 0)
      out += kReplacement;
    else if (length > 1)
      out.append(text, at, length);
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += kReplacement;
    else
      out += c;
    at += length == 0 ? 1 : length;
  }
  return out;
}

Cell text_cell(const std::string& text) { return {"<bdi>" + escaped(text) + "</bdi>"}; }
Cell header_cell(const std::string& text) { return {"<bdi>" + escaped(text) + "</bdi>", true}; }
Cell number_cell(const std::string& text) { return {escaped(text), false, " class=\"n\""}; }

std::string table(const std::string& caption, const std::vector<std::string>& columns,
                  const std::vector<std::vector<Cell>>& rows, bool cards) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                    escaped(caption) + "\"><table" + (cards ? " class=\"cards\"" : "") +
                    "><caption>" + escaped(caption) + "</caption><thead><tr>";
  for (const std::string& column : columns)
    out += "<th scope=\"col\"><bdi>" + escaped(column) + "</bdi></th>";
  out += "</tr></thead><tbody>\n";
  for (const std::vector<Cell>& row : rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Cell& cell = row[c];
      const std::string label =
          cards && !cell.header ? " data-label=\"" + escaped(columns[c]) + "\"" : "";
      out += cell.header ? "<th scope=\"row\"" + cell.attributes + ">" + cell.html + "</th>"
                         : "<td" + cell.attributes + label + ">" + cell.html + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace bzscr::report
