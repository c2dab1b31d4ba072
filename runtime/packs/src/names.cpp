#include "names.h"

#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"

#include <algorithm>
#include <map>

namespace bzscr::pack {
namespace {

bool has_control_character(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

/// As RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t j = 1; j < length; ++j)
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0) != 0x80) return false;
    const unsigned char second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
      return false;
    i += length;
  }
  return true;
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  std::string text = read_text(path);
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t length = end - at;
    if (length > 0 && text[at + length - 1] == '\r') --length;
    lines.push_back(text.substr(at, length));
    at = end + 1;
  }
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

void check_names(const std::string& path, const std::vector<std::string>& names,
                 std::size_t first_line) {
  std::map<std::string_view, std::size_t> lines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t line = first_line + i;
    const std::string where = path + ":" + std::to_string(line);
    if (names[i].empty()) throw Error(where, "there is no class name; expected one in every line");
    check_name(names[i], where);
    const auto [other, is_new] = lines.emplace(names[i], line);
    if (!is_new)
      throw Error(where, "class '" + names[i] + "' is in line " + std::to_string(other->second) +
                             " too; expected each class once");
  }
}

void check_name(const std::string& name, const std::string& where) {
  if (name.empty()) throw Error(where, "the class name is empty");
  if (has_control_character(name)) throw Error(where, "the class name holds a control character");
  if (!is_utf8(name)) throw Error(where, "the class name is not UTF-8");
}

std::vector<std::string> read_names(const std::string& path) {
  std::vector<std::string> names;
  for (const std::string& line : read_lines(path)) names.emplace_back(trimmed(line));
  if (names.empty()) throw Error(path, "is empty; expected class names, one a line");
  check_names(path, names, 1);
  return names;
}

}  // namespace bzscr::pack
