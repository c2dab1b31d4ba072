#include "data/formats/mat5_check.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace bzscr {
namespace {

constexpr std::size_t kHeader = 128, kTag = 8;
constexpr std::uint32_t kMatrix = 14, kCompressed = 15;

std::uint32_t number(const std::uint8_t* at, std::size_t bytes, bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= std::uint32_t{at[i]} << (8 * (big_endian ? bytes - 1 - i : i));
  return value;
}

bool is_big_endian(const MappedFile& file) { return file.data()[126] == 'M'; }

/// Whether bytes[0, size) are exactly one zlib stream with a correct checksum.
bool unpacks(const std::uint8_t* bytes, std::size_t size) {
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
  }
  const bool whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole;
}

}  // namespace

MatVersion mat_version(const std::string& path, const MappedFile& file) {
  const char* const expected = "expected one of version 5 or 7.3, as MATLAB, Octave and SciPy save";
  const std::uint8_t* const bytes = file.data();
  if (file.size() < kHeader ||
      (std::memcmp(bytes + 126, "IM", 2) != 0 && std::memcmp(bytes + 126, "MI", 2) != 0))
    throw InputError(path, fmt::format("is not a MATLAB file; {}", expected));
  const std::uint32_t version = number(bytes + 124, 2, is_big_endian(file));
  if (version != 0x0100 && version != 0x0200)
    throw InputError(path, fmt::format("is a MATLAB file of an unknown version; {}", expected));
  return version == 0x0100 ? MatVersion::k5 : MatVersion::k73;
}

void expect_whole_mat5(const std::string& path, const MappedFile& file) {
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
    if (type == kCompressed && !unpacks(bytes + at + kTag, size))
      throw InputError(path,
                       fmt::format("is damaged: its variable at byte {} does not unpack", at));
    at += kTag + size;
  }
}

}  // namespace bzscr
