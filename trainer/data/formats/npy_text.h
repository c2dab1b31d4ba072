#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bzscr {

/// The texts of a .npy file of shape (n,) in bytes[0, size): UTF-32 is converted to UTF-8, bytes
/// are not converted. Throws InputError with `where`.
std::vector<std::string> npy_texts(const std::string& where, const std::uint8_t* bytes,
                                   std::size_t size);

/// Appends a character as UTF-8. Returns false for surrogates and for values above U+10FFFF.
bool append_utf8(std::uint32_t character, std::string& text);

}  // namespace bzscr
