#include "npy.h"

#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bzscr::pack {
namespace {

struct Header {
  std::string type;  ///< "<f4"
  bool column_major = false;
  std::uint64_t rows = 1, columns = 0;  ///< what the file claims, on machines of 32 bits too
  std::size_t data = 0;                 ///< where the first value stands
};

template <class T>
double value_of(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

double half(const char* bytes) {
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                                       : std::ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 != 0 ? -size : size;
}

struct Type {
  const char* code;
  std::size_t bytes;
  double (*read)(const char* bytes);
};
constexpr Type kTypes[] = {
    {"f2", 2, half},
    {"f4", 4, value_of<float>},
    {"f8", 8, value_of<double>},
    {"i1", 1, value_of<std::int8_t>},
    {"i2", 2, value_of<std::int16_t>},
    {"i4", 4, value_of<std::int32_t>},
    {"i8", 8, value_of<std::int64_t>},
    {"u1", 1, value_of<std::uint8_t>},
    {"u2", 2, value_of<std::uint16_t>},
    {"u4", 4, value_of<std::uint32_t>},
    {"u8", 8, value_of<std::uint64_t>},
    {"b1", 1, value_of<std::uint8_t>},
};

/// What follows 'KEY': in the header, a Python literal of a dictionary; empty if nothing does.
std::string_view after_key(std::string_view dictionary, const std::string& key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + key + quote;
    const std::size_t at = dictionary.find(quoted);
    if (at == std::string_view::npos) continue;
    std::string_view rest = dictionary.substr(at + quoted.size());
    const std::size_t value = rest.find_first_not_of(" \t:");
    return value == std::string_view::npos ? std::string_view() : rest.substr(value);
  }
  return {};
}

/// The numbers in parentheses. Empty where it is not that.
std::vector<std::uint64_t> parse_shape(std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) return {};
  std::vector<std::uint64_t> shape;
  const char *at = text.data() + 1, *const stop = text.data() + end;
  while (at < stop) {
    std::uint64_t length = 0;
    const auto [next, error] = std::from_chars(at, stop, length);
    if (error != std::errc()) return {};
    shape.push_back(length);
    at = std::find_if(next, stop, [](char c) { return c != ',' && c != ' ' && c != 'L'; });
  }
  return shape;
}

Header parse_header(const std::string& path, const std::string& file) {
  if (file.compare(0, 6, "\x93NUMPY") != 0 || file.size() < 12)
    throw Error(path, "is not a NumPy .npy file");
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(file[at]); };
  const std::size_t width = byte(6) == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8 | byte(8 + i);
  Header header;
  if (byte(6) < 1 || byte(6) > 3) throw Error(path, "is of a .npy version that is not read");
  if (length > file.size() - 8 - width) throw Error(path, "is cut short within its header");
  header.data = 8 + width + length;
  const std::string_view dictionary(file.data() + 8 + width, length);

  const std::string_view type = after_key(dictionary, "descr");
  const std::string_view order = after_key(dictionary, "fortran_order");
  const std::vector<std::uint64_t> shape = parse_shape(after_key(dictionary, "shape"));
  const std::size_t type_end = type.empty() ? type.npos : type.find(type[0], 1);
  if (type_end == type.npos || order.empty()) throw Error(path, "its header is malformed");
  if (shape.empty() || shape.size() > 2)
    throw Error(path, "expected a matrix, a row for each class, or a single vector");
  header.type = type.substr(1, type_end - 1);
  header.column_major = order[0] == 'T';
  if (shape.size() == 2) header.rows = shape[0];
  header.columns = shape.back();
  return header;
}

}  // namespace

std::vector<std::vector<float>> read_npy(const std::string& path) {
  const std::string file = read_text(path);
  const Header header = parse_header(path, file);
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& each) {
    return header.type.size() == 3 && header.type.compare(1, 2, each.code) == 0;
  });
  if (type == std::end(kTypes) || std::strchr("<>|=", header.type[0]) == nullptr)
    throw Error(path, "holds values of type '" + header.type +
                          "'; expected numbers: float16 to float64, integers or bool");
  const std::size_t found = file.size() - header.data;
  std::uint64_t expected = 0;
  if (__builtin_mul_overflow(header.rows, header.columns, &expected) ||
      __builtin_mul_overflow(expected, type->bytes, &expected) || expected != found)
    throw Error(path, std::to_string(found) + " bytes follow the header; its shape is " +
                          std::to_string(header.rows) + " x " + std::to_string(header.columns));

  const auto height = static_cast<std::size_t>(header.rows);
  const auto width = static_cast<std::size_t>(header.columns);
  std::vector<std::vector<float>> rows(found == 0 ? 0 : height);
  const std::size_t row_step = header.column_major ? 1 : width;
  const std::size_t column_step = header.column_major ? height : 1;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < width; ++j) {
      char value[8];
      std::memcpy(value, file.data() + header.data + (i * row_step + j * column_step) * type->bytes,
                  type->bytes);
      if (header.type[0] == '>') std::reverse(value, value + type->bytes);
      rows[i].push_back(static_cast<float>(type->read(value)));
    }
  return rows;
}

}  // namespace bzscr::pack
