#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bzscr {

/// The texts in a .npy file of shape (n,) that lies in bytes[0, size), as UTF-8 where they were
/// UTF-32 and as they are where they were bytes. Throws InputError beginning with `where`.
std::vector<std::string> npy_texts(const std::string& where, const std::uint8_t* bytes,
                                   std::size_t size);

/// Appends a character. False for what is none: surrogates, and what lies past U+10FFFF.
bool append_utf8(std::uint32_t character, std::string& text);

}  // namespace bzscr
