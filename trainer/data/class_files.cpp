#include "data/class_files.h"

#include "data/mapped_file.h"
#include "data/nearest_name.h"
#include "types/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace bzscr {
namespace {

/// Bytes of the well-formed UTF-8 character that starts `text`; 0 if none does. Over-long forms,
/// surrogates and what lies past U+10FFFF are not well-formed.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto in = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return in(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && in(2, 0x80, 0xBF) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return in(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  return 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

struct Line {
  std::string text;   // without the white space around it
  std::string where;  // "classes.txt:12"
};

/// The lines of a text file. Their contents are yet to be checked.
std::vector<Line> read_lines(const std::string& path) {
  const MappedFile file(path);
  std::string_view text = file.text();
  if (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF")
    throw InputError(path, "is UTF-16 text; expected UTF-8");
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);

  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back({std::string(trimmed(line)), fmt::format("{}:{}", path, lines.size() + 1)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines.empty()) throw InputError(path, "is empty");
  return lines;
}

void check_text(const Line& line, const std::string& expected) {
  if (line.text.empty()) throw InputError(line.where, "line is blank; expected " + expected);
  if (!is_utf8(line.text)) throw InputError(line.where, "is not UTF-8 text");
  if (has_control_character(line.text))
    throw InputError(line.where, "holds a tab or another control character; expected only " + expected);
}

std::vector<Line> read_names(const std::string& path) {
  std::vector<Line> lines = read_lines(path);
  std::unordered_map<std::string, std::size_t> seen_at;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    check_text(lines[i], "a class name");
    const auto [earlier, is_new] = seen_at.emplace(lines[i].text, i + 1);
    if (!is_new)
      throw InputError(lines[i].where, fmt::format("'{}' was already named in line {}", lines[i].text, earlier->second));
  }
  return lines;
}

}  // namespace

std::vector<std::string> read_class_names(const std::string& path) {
  std::vector<std::string> names;
  for (Line& line : read_names(path)) names.push_back(std::move(line.text));
  return names;
}

std::vector<Index> read_class_list(const std::string& path, const std::vector<std::string>& class_names) {
  std::unordered_map<std::string, Index> rows;
  for (const std::string& name : class_names) rows.emplace(name, static_cast<Index>(rows.size()));
  std::vector<Index> list;
  for (const Line& line : read_names(path)) {
    const auto row = rows.find(line.text);
    if (row == rows.end())
      throw InputError(line.where, fmt::format("'{}' is not in classes.txt{}", line.text, did_you_mean(line.text, class_names)));
    list.push_back(row->second);
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<SynsetId> read_synset_ids(const std::string& path, std::size_t classes) {
  std::vector<SynsetId> ids;
  for (Line& line : read_lines(path)) {
    line.text.resize(std::min(line.text.find_first_of(" \t"), line.text.size()));
    check_text(line, "an id such as n02129165");
    const std::optional<SynsetId> id = parse_synset_id(line.text);
    if (!id) throw InputError(line.where, fmt::format("'{}' is not the id of a WordNet noun; expected one such as n02129165", line.text));
    ids.push_back(*id);
  }
  if (ids.size() != classes)
    throw InputError(path, fmt::format("holds {} ids, but classes.txt names {} classes; expected an id for each, in that order", ids.size(),
                                       classes));
  return ids;
}

}  // namespace bzscr
