#include "report/html.h"

#include "base/utf8.h"

#include <string_view>

namespace bzscr::report {
namespace {

const char* const kReplacement = "\xEF\xBF\xBD";

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_character(std::string_view(text).substr(at));
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
