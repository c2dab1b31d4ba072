#pragma once

#include <cstddef>
#include <string_view>

namespace bzscr {

/// Bytes of the well-formed UTF-8 character that the text begins with; 0 where there is none:
/// over-long forms, surrogates and values above U+10FFFF are not well-formed.
std::size_t utf8_character(std::string_view text);

}  // namespace bzscr
