#include "data/formats/class_files.h"

#include <bzscr_train/error.hpp>
#include "base/spelling.h"
#include "base/utf8.h"
#include "data/formats/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace bzscr {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::vector<PlacedName> read_lines(const std::string& path) {
  TextFile file(path);
  std::vector<PlacedName> names;
  while (file.next())
    names.push_back({std::string(file.line()), file.where(), "line", file.number()});
  return names;
}

/// Removes white space around a name, and checks its characters.
void check_text(PlacedName& each, const char* expected) {
  each.name = std::string(trimmed(each.name));
  if (each.name.empty())
    throw InputError(each.where, fmt::format("{} is blank; expected {}", each.unit, expected));
  if (!is_utf8(each.name)) throw InputError(each.where, "is not UTF-8 text");
  if (has_control_character(each.name))
    throw InputError(
        each.where,
        fmt::format("holds a tab or another control character; expected only {}", expected));
}

}  // namespace

void check_class_names(std::vector<PlacedName>& names) {
  std::unordered_map<std::string, std::size_t> seen_at;
  for (PlacedName& each : names) {
    check_text(each, "a class name");
    const auto [earlier, is_new] = seen_at.emplace(each.name, each.number);
    if (!is_new)
      throw InputError(each.where, fmt::format("'{}' was already named in {} {}", each.name,
                                               each.unit, earlier->second));
  }
}

std::vector<std::string> names_of(const std::vector<PlacedName>& placed) {
  std::vector<std::string> names;
  for (const PlacedName& each : placed) names.push_back(each.name);
  return names;
}

std::vector<std::string> read_class_names(const std::string& path) {
  std::vector<PlacedName> names = read_lines(path);
  check_class_names(names);
  return names_of(names);
}

ClassRows::ClassRows(const std::vector<std::string>& class_names, std::string list)
    : class_names_(class_names), list_(std::move(list)) {
  for (const std::string& name : class_names_)
    rows_.emplace(name, static_cast<Index>(rows_.size()));
}

Index ClassRows::row(const std::string& name, const std::string& where) const {
  const auto row = rows_.find(name);
  if (row == rows_.end())
    throw InputError(
        where, fmt::format("'{}' is not in {}{}", name, list_, did_you_mean(name, class_names_)));
  return row->second;
}

std::vector<Index> class_list(std::vector<PlacedName> names, const ClassRows& classes) {
  check_class_names(names);
  std::vector<Index> list;
  for (const PlacedName& each : names) list.push_back(classes.row(each.name, each.where));
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<Index> read_class_list(const std::string& path, const ClassRows& classes) {
  return class_list(read_lines(path), classes);
}

std::vector<SynsetId> synset_ids(std::vector<PlacedName> lines, const std::string& where,
                                 std::size_t classes) {
  std::vector<SynsetId> ids;
  for (PlacedName& line : lines) {
    const std::string_view text = trimmed(line.name);
    line.name = std::string(text.substr(0, text.find_first_of(" \t")));
    check_text(line, "an id such as n02129165");
    const std::optional<SynsetId> id = parse_synset_id(line.name);
    if (!id)
      throw InputError(
          line.where,
          fmt::format("'{}' is not the id of a WordNet noun; expected one such as n02129165",
                      line.name));
    ids.push_back(*id);
  }
  if (ids.size() != classes)
    throw InputError(
        where,
        fmt::format(
            "holds {} ids, but there are {} classes; expected one id per class, in their order",
            ids.size(), classes));
  return ids;
}

std::vector<SynsetId> read_synset_ids(const std::string& path, std::size_t classes) {
  return synset_ids(read_lines(path), path, classes);
}

}  // namespace bzscr
