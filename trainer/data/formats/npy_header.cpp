#include "data/formats/npy_header.h"

#include <bzscr_train/error.hpp>
#include "base/foreign_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace bzscr {
namespace {

struct TypeRow {
  NpyType type;
  const char* name;
  const char* code;  // kind and size, as in 'descr'
  std::size_t bytes;
};
constexpr TypeRow kTypes[] = {
    {NpyType::kBool, "bool", "b1", 1},       {NpyType::kInt8, "int8", "i1", 1},
    {NpyType::kInt16, "int16", "i2", 2},     {NpyType::kInt32, "int32", "i4", 4},
    {NpyType::kInt64, "int64", "i8", 8},     {NpyType::kUint8, "uint8", "u1", 1},
    {NpyType::kUint16, "uint16", "u2", 2},   {NpyType::kUint32, "uint32", "u4", 4},
    {NpyType::kUint64, "uint64", "u8", 8},   {NpyType::kFloat16, "float16", "f2", 2},
    {NpyType::kFloat32, "float32", "f4", 4}, {NpyType::kFloat64, "float64", "f8", 8},
};

const TypeRow& row_of(NpyType type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr std::size_t kMaxDimensions = 32;  // the limit of NumPy 1

constexpr const char* kNumbers = "plain numbers: save numpy.array(values, dtype=float)";
constexpr const char* kTexts = "texts: save numpy.array(names, dtype=str)";

/// Parser of the Python literal of a header:
///   {'descr': '<f4', 'fortran_order': False, 'shape': (24, 85), }
/// keys in any order, white space anywhere between tokens, the last comma optional.
class HeaderDict {
 public:
  /// \param expected  what the file should hold, for messages
  HeaderDict(const std::string& path, std::string_view text, const char* expected)
      : path_(path), text_(text), expected_(expected) {}

  void parse() {
    expect('{');
    while (!take('}')) {
      parse_item();
      if (take('}')) break;
      expect(',');
    }
    skip_space();
    if (at_ != text_.size()) malformed("nothing but white space");
    for (std::size_t key = 0; key < 3; ++key)
      if (!found_[key]) throw InputError(path_, fmt::format("header lacks '{}'", kKeys[key]));
  }

  std::string_view descr;
  bool column_major = false;
  std::vector<Index> shape;

 private:
  static constexpr const char* kKeys[] = {"descr", "fortran_order", "shape"};

  [[noreturn]] void malformed(const std::string& expected) const {
    throw InputError(path_,
                     fmt::format("header is malformed at byte {}; expected {}", at_, expected));
  }

  void skip_space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr &&
           text_[at_] != '\0')
      ++at_;
  }
  bool take(char token) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != token) return false;
    ++at_;
    return true;
  }
  void expect(char token) {
    if (!take(token)) malformed(fmt::format("'{}'", token));
  }

  std::string_view parse_string() {
    const char quote = take('\'') ? '\'' : take('"') ? '"' : '\0';
    if (quote == '\0') malformed("a quoted string");
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) malformed("a closing quote");
    const std::string_view value = text_.substr(at_, end - at_);
    if (value.find('\\') != std::string_view::npos) malformed("a string without escapes");
    at_ = end + 1;
    return value;
  }

  bool parse_bool() {
    skip_space();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    malformed("True or False");
  }

  Index parse_dimension() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '-')
      throw InputError(path_, "its shape has a negative dimension");
    const std::size_t start = at_;
    Index value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const Index digit = text_[at_] - '0';
      if (value > (std::numeric_limits<Index>::max() - digit) / 10)
        throw InputError(path_, "its shape is larger than any file");
      value = 10 * value + digit;
    }
    if (at_ == start) malformed("a whole number");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // files written by Python 2: (24L, 85L)
    return value;
  }

  void parse_shape() {
    expect('(');
    while (!take(')')) {
      shape.push_back(parse_dimension());
      if (shape.size() > kMaxDimensions)
        malformed(fmt::format("at most {} dimensions", kMaxDimensions));
      if (shape.size() > 1 && take(')')) break;
      expect(',');  // also after a single number: (24) is not a tuple
    }
  }

  void parse_descr() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      throw InputError(path_,
                       fmt::format("holds records (a structured array); expected {}", expected_));
    descr = parse_string();
    if (descr == "|O" || descr == "O")
      throw InputError(
          path_,
          fmt::format("holds Python objects, which are never unpickled; expected {}", expected_));
  }

  void parse_item() {
    const std::string_view key = parse_string();
    std::size_t index = 0;
    while (index < 3 && key != kKeys[index]) ++index;
    if (index == 3) throw InputError(path_, fmt::format("header has the unknown key '{}'", key));
    if (found_[index]) throw InputError(path_, fmt::format("header gives '{}' twice", key));
    found_[index] = true;
    expect(':');
    if (index == 0) parse_descr();
    if (index == 1) column_major = parse_bool();
    if (index == 2) parse_shape();
  }

  const std::string& path_;
  std::string_view text_;
  const char* expected_;
  std::size_t at_ = 0;
  bool found_[3] = {};
};

void read_number_type(const std::string& path, std::string_view descr, NpyHeader& header) {
  for (const TypeRow& row : kTypes) {
    if (descr.size() != 3 || descr.substr(1) != row.code) continue;
    const char order = descr[0];
    if (order != '<' && order != '>' && !(order == '|' && row.bytes == 1)) break;
    header.type = row.type;
    header.big_endian = order == '>' && row.bytes > 1;
    return;
  }
  throw InputError(path,
                   fmt::format("holds values of type '{}'; expected numbers: float16 to float64, "
                               "int8 to int64, uint8 to uint64 or bool",
                               descr));
}

/// '<U12' is 12 characters of UTF-32, '|S12' 12 bytes.
void read_text_type(const std::string& path, std::string_view descr, NpyTextHeader& header) {
  const bool utf32 = descr.size() > 2 && descr[1] == 'U' && (descr[0] == '<' || descr[0] == '>');
  const bool bytes = descr.size() > 2 && descr[1] == 'S' && descr[0] == '|';
  const char* const end = descr.data() + descr.size();
  if (utf32 || bytes) {
    const auto [stopped, error] = std::from_chars(descr.data() + 2, end, header.width);
    if (error == std::errc() && stopped == end) {
      header.utf32 = utf32;
      header.big_endian = descr[0] == '>';
      return;
    }
  }
  throw InputError(path, fmt::format("holds values of type '{}'; expected text", descr));
}

/// The size of an array of this shape in bytes; empty if it overflows.
std::optional<std::size_t> array_bytes(std::size_t bytes, const std::vector<Index>& shape) {
  for (const Index dimension : shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(dimension), &bytes))
      return std::nullopt;
  return bytes;
}

/// Throws InputError unless exactly the array follows the header. Returns its size in bytes.
std::size_t expect_array(const std::string& path, std::size_t found, std::size_t value_bytes,
                         const std::vector<Index>& shape, const std::string& values) {
  const std::optional<std::size_t> expected = array_bytes(value_bytes, shape);
  if (!expected) throw InputError(path, "its shape is larger than any file");
  if (found != *expected)
    throw InputError(path,
                     fmt::format("is {}: {} bytes follow the header; expected {} for {} of {}",
                                 found < *expected ? "truncated" : "too long", found, *expected,
                                 text_of(shape), values));
  return found;
}

/// The text of the header; sets data_offset to its end.
std::string_view find_dict(const std::string& path, const std::uint8_t* bytes, std::size_t size,
                           std::size_t& data_offset) {
  refuse_foreign_file(path, {reinterpret_cast<const char*>(bytes), size});
  if (size >= 2 && std::memcmp(bytes, "PK", 2) == 0)
    throw InputError(path, "is an .npz archive; expected a single array saved with numpy.save");
  if (size < 8 || std::memcmp(bytes, "\x93NUMPY", 6) != 0)
    throw InputError(path, "is not a NumPy .npy file");
  const int major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    throw InputError(
        path, fmt::format("is of .npy version {}.{}; expected 1.0, 2.0 or 3.0", major, minor));

  const std::size_t width = major == 1 ? 2 : 4;
  if (size < 8 + width) throw InputError(path, "is truncated within its header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i)
    length |= static_cast<std::size_t>(bytes[8 + i]) << (8 * i);
  if (length > size - 8 - width) throw InputError(path, "is truncated within its header");
  data_offset = 8 + width + length;
  return {reinterpret_cast<const char*>(bytes) + 8 + width, length};
}

}  // namespace

const char* name_of(NpyType type) { return row_of(type).name; }
std::size_t bytes_of(NpyType type) { return row_of(type).bytes; }
bool is_integer(NpyType type) { return type >= NpyType::kInt8 && type <= NpyType::kUint64; }

std::string text_of(const std::vector<Index>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ", "));
}

NpyHeader parse_npy_header(const std::string& path, const std::uint8_t* bytes, std::size_t size) {
  NpyHeader header;
  HeaderDict dict(path, find_dict(path, bytes, size, header.data_offset), kNumbers);
  dict.parse();
  read_number_type(path, dict.descr, header);
  header.column_major = dict.column_major;
  header.shape = std::move(dict.shape);
  header.data_bytes = expect_array(path, size - header.data_offset, bytes_of(header.type),
                                   header.shape, name_of(header.type));
  return header;
}

bool is_npy_text(const std::string& path, const std::uint8_t* bytes, std::size_t size) {
  std::size_t data_offset = 0;
  HeaderDict dict(path, find_dict(path, bytes, size, data_offset),
                  "whole numbers or texts: save numpy.array(labels, dtype=str)");
  dict.parse();
  return dict.descr.size() > 1 && (dict.descr[1] == 'U' || dict.descr[1] == 'S');
}

NpyTextHeader parse_npy_text_header(const std::string& path, const std::uint8_t* bytes,
                                    std::size_t size) {
  NpyTextHeader header;
  HeaderDict dict(path, find_dict(path, bytes, size, header.data_offset), kTexts);
  dict.parse();
  read_text_type(path, dict.descr, header);
  header.shape = std::move(dict.shape);
  std::size_t value_bytes = 0;
  if (__builtin_mul_overflow(header.width, std::size_t{header.utf32 ? 4u : 1u}, &value_bytes))
    throw InputError(path, "its text is longer than any file");
  expect_array(path, size - header.data_offset, value_bytes, header.shape,
               fmt::format("'{}'", dict.descr));
  return header;
}

std::string npy_header(const char* descr, bool column_major, const std::vector<Index>& shape) {
  constexpr std::size_t kBefore = 10, kAlignment = 64;  // of the first value
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                 column_major ? "True" : "False", text_of(shape));
  dict.append(kAlignment - 1 - (kBefore + dict.size()) % kAlignment, ' ');
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xFF);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace bzscr
