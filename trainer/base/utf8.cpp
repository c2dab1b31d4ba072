#include "base/utf8.h"

namespace bzscr {

std::size_t utf8_character(std::string_view text) {
  const auto in = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && static_cast<unsigned char>(text[i]) >= low &&
           static_cast<unsigned char>(text[i]) <= high;
  };
  if (in(0, 0x00, 0x7F)) return 1;
  if (in(0, 0xC2, 0xDF)) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (in(0, 0xE0, 0xEF)) {
    const unsigned first = static_cast<unsigned char>(text[0]);
    const bool second = in(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && in(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (in(0, 0xF0, 0xF4)) {
    const unsigned first = static_cast<unsigned char>(text[0]);
    const bool second = in(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace bzscr
