#include "data/formats/mat_variables.h"

#include <bzscr_train/error.hpp>
#include "base/utf8.h"
#include "data/formats/npy_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace bzscr {
namespace {

std::uint32_t unit_at(const void* units, std::size_t i, std::size_t width) {
  const auto* const at = static_cast<const std::uint8_t*>(units) + i * width;
  std::uint32_t value = 0;
  std::memcpy(&value, at, width);  // little-endian, as the machines that this code runs on
  return value;
}

/// The characters of UTF-8 text, each as its bytes.
std::vector<std::string_view> characters_of(const std::string& where, std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    if (length == 0) throw InputError(where, "is not UTF-8 text");
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

std::vector<std::string> utf8_rows(const std::string& where, std::string_view text,
                                   std::size_t rows, std::size_t columns) {
  if (rows == 1) return {std::string(text)};
  const std::vector<std::string_view> characters = characters_of(where, text);
  if (characters.size() != rows * columns)
    throw InputError(where, fmt::format("holds {} characters; expected {} x {}", characters.size(),
                                        rows, columns));
  std::vector<std::string> result(rows);
  for (std::size_t i = 0; i < characters.size(); ++i) result[i % rows] += characters[i];
  return result;
}

/// The units of one row as UTF-8; UTF-16 may hold pairs of surrogates.
std::string utf8_of(const std::string& where, const std::vector<std::uint32_t>& units) {
  std::string text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    std::uint32_t character = units[i];
    const bool pair = character >= 0xD800 && character < 0xDC00 && i + 1 < units.size() &&
                      units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000;
    if (pair) character = 0x10000 + ((character - 0xD800) << 10) + (units[++i] - 0xDC00u);
    if (!append_utf8(character, text))
      throw InputError(where, "holds an invalid Unicode character");
  }
  return text;
}

}  // namespace

void expect_size(const std::string& where, std::size_t rows, std::size_t columns,
                 std::size_t file_size) {
  if (rows == 0 || columns == 0)
    throw InputError(where, fmt::format("is {} x {}, empty", rows, columns));
  constexpr std::size_t kMostPerByte = 1100;  // limit of deflate
  std::size_t values = 0;
  if (__builtin_mul_overflow(rows, columns, &values) || values / kMostPerByte > file_size)
    throw InputError(where, fmt::format("claims to be {} x {}, more than {} bytes can hold", rows,
                                        columns, file_size));
}

void expect_one_column(const std::string& where, std::size_t rows, std::size_t columns) {
  if (rows != 1 && columns != 1)
    throw InputError(where, fmt::format("is {} x {}; expected one column", rows, columns));
}

std::string entry_of(const std::string& where, std::size_t i) {
  return fmt::format("{}, entry {}", where, i + 1);
}

std::string object_found(const std::string& name, const std::string& of_class) {
  const bool is_text = of_class == "string" || of_class == "categorical";
  return fmt::format("is {} of MATLAB's class {}; expected {}", is_text ? "an array" : "an object",
                     of_class,
                     is_text ? fmt::format("a cell array of texts: save cellstr({})", name)
                             : "a matrix or a cell array of texts");
}

std::vector<std::string> char_rows(const std::string& where, const void* units, std::size_t count,
                                   std::size_t width, std::size_t rows, std::size_t columns) {
  if (width == 1) return utf8_rows(where, {static_cast<const char*>(units), count}, rows, columns);
  if (count != rows * columns)
    throw InputError(where, "seems to be damaged: its size differs from its dimensions");
  std::vector<std::string> result;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::uint32_t> row;
    for (std::size_t c = 0; c < columns; ++c) row.push_back(unit_at(units, c * rows + r, width));
    result.push_back(utf8_of(where, row));
  }
  return result;
}

}  // namespace bzscr
