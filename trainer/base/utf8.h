#pragma once

#include <cstddef>
#include <string_view>

namespace bzscr {

/// The size in bytes of the well-formed UTF-8 character at the beginning of the text; 0 if there is
/// none. Overlong forms, surrogates and values above U+10FFFF are not well-formed.
std::size_t utf8_character(std::string_view text);

}  // namespace bzscr
