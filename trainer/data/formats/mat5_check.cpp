#include "data/formats/mat5_check.h"

#include <bzscr_train/error.hpp>
#include "base/foreign_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace bzscr {
namespace {

constexpr std::size_t kHeader = 128, kTag = 8;
constexpr std::uint32_t kMatrix = 14, kCompressed = 15, kFlags = 6;
constexpr std::uint32_t kObjectClass = 17;  // "opaque": an object of a class of MATLAB

std::uint32_t number(const std::uint8_t* at, std::size_t bytes, bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= std::uint32_t{at[i]} << (8 * (big_endian ? bytes - 1 - i : i));
  return value;
}

bool is_big_endian(const MappedFile& file) { return file.data()[126] == 'M'; }

/// Whether bytes[0, size) are exactly one zlib stream with a correct checksum.
/// \param first  output: the beginning of the unpacked bytes
bool unpacks(const std::uint8_t* bytes, std::size_t size, std::vector<std::uint8_t>& first) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  std::vector<Bytef> piece(std::size_t{1} << 18);
  stream.next_in = const_cast<Bytef*>(bytes);
  stream.avail_in = static_cast<uInt>(size);
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = piece.data();
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (first.empty()) first.assign(piece.data(), stream.next_out);
  }
  const bool whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole;
}

/// The name and the class of an object; empty for another kind of variable.
///
///   tag, tag of the flags, flags, name, "MCOS", class
///
/// where a text is a tag of type and size and its bytes, or one word of both and up to 4 bytes.
std::optional<std::pair<std::string, std::string>> object_in(const std::uint8_t* bytes,
                                                             std::size_t size, bool big_endian) {
  std::size_t at = kTag;
  if (size < at + 2 * kTag || number(bytes + at, 4, big_endian) != kFlags ||
      (number(bytes + at + kTag, 4, big_endian) & 0xFF) != kObjectClass)
    return std::nullopt;
  at += 2 * kTag;
  std::string texts[3];
  for (std::string& text : texts) {
    if (size < at + kTag) return std::nullopt;
    const std::uint32_t word = number(bytes + at, 4, big_endian);
    const bool is_small = word >> 16 != 0;
    const std::size_t length = is_small ? word >> 16 : number(bytes + at + 4, 4, big_endian);
    const std::size_t begin = at + (is_small ? 4 : kTag);
    if (length > size - begin || (is_small && length > 4)) return std::nullopt;
    text.assign(reinterpret_cast<const char*>(bytes) + begin, length);
    at = is_small ? at + kTag : begin + (length + kTag - 1) / kTag * kTag;
  }
  return std::pair(texts[0], texts[2]);
}

}  // namespace

MatVersion mat_version(const std::string& path, const MappedFile& file) {
  const char* const expected = "expected one of version 5 or 7.3, as MATLAB, Octave and SciPy save";
  refuse_foreign_file(path, file.text());
  const std::uint8_t* const bytes = file.data();
  if (file.size() < kHeader ||
      (std::memcmp(bytes + 126, "IM", 2) != 0 && std::memcmp(bytes + 126, "MI", 2) != 0))
    throw InputError(path, fmt::format("is not a MATLAB file; {}", expected));
  const std::uint32_t version = number(bytes + 124, 2, is_big_endian(file));
  if (version != 0x0100 && version != 0x0200)
    throw InputError(path, fmt::format("is a MATLAB file of an unknown version; {}", expected));
  return version == 0x0100 ? MatVersion::k5 : MatVersion::k73;
}

std::map<std::string, std::string> expect_whole_mat5(const std::string& path,
                                                     const MappedFile& file) {
  std::map<std::string, std::string> objects;
  const std::uint8_t* const bytes = file.data();
  const bool big_endian = is_big_endian(file);
  std::size_t at = kHeader;
  while (at < file.size()) {
    const std::size_t left = file.size() - at;
    if (left < kTag)
      throw InputError(
          path,
          fmt::format("is truncated: {} bytes are left at byte {}; expected a variable", left, at));
    const std::uint32_t type = number(bytes + at, 4, big_endian),
                        size = number(bytes + at + 4, 4, big_endian);
    if (type != kMatrix && type != kCompressed)
      throw InputError(path, fmt::format("is damaged at byte {}; expected a variable", at));
    if (size > left - kTag)
      throw InputError(path,
                       fmt::format("is truncated: {} bytes are left of a variable of {} at byte {}",
                                   left - kTag, size, at));
    std::vector<std::uint8_t> first;
    if (type == kCompressed && !unpacks(bytes + at + kTag, size, first))
      throw InputError(path,
                       fmt::format("is damaged: its variable at byte {} does not unpack", at));
    const auto object = type == kCompressed ? object_in(first.data(), first.size(), big_endian)
                                            : object_in(bytes + at, kTag + size, big_endian);
    if (object) objects.insert(*object);
    at += kTag + size;
  }
  return objects;
}

}  // namespace bzscr
