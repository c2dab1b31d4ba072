#include "data/formats/npy_text.h"

#include <bzscr_train/error.hpp>
#include "data/formats/npy_header.h"

#include <fmt/format.h>

#include <algorithm>

namespace bzscr {
namespace {

std::uint32_t character_at(const std::uint8_t* at, bool big_endian) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(at[i]) << (8 * (big_endian ? 3 - i : i));
  return value;
}

}  // namespace

bool append_utf8(std::uint32_t character, std::string& text) {
  const auto next = [&](std::uint32_t bits) { text += static_cast<char>(0x80 | (bits & 0x3F)); };
  if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF)) return false;
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0 | character >> 6);
    next(character);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0 | character >> 12);
    next(character >> 6);
    next(character);
  } else {
    text += static_cast<char>(0xF0 | character >> 18);
    next(character >> 12);
    next(character >> 6);
    next(character);
  }
  return true;
}

std::vector<std::string> npy_texts(const std::string& where, const std::uint8_t* bytes,
                                   std::size_t size) {
  const NpyTextHeader header = parse_npy_text_header(where, bytes, size);
  if (header.shape.size() != 1)
    throw InputError(where, fmt::format("shape is {}; expected (n,)", text_of(header.shape)));
  if (header.width == 0) throw InputError(where, "holds empty texts only");
  std::vector<std::string> texts;
  const std::uint8_t* at = bytes + header.data_offset;
  for (Index i = 0; i < header.shape[0]; ++i) {
    std::string text;
    for (std::size_t c = 0; c < header.width; ++c, at += header.utf32 ? 4 : 1) {
      if (!header.utf32)
        text += static_cast<char>(*at);
      else if (!append_utf8(character_at(at, header.big_endian), text))
        throw InputError(where, fmt::format("entry {} holds an invalid Unicode character", i));
    }
    text.erase(text.find_last_not_of('\0') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace bzscr
