#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bzscr {

/// Two lower-case digits per byte.
inline std::string hexadecimal(const std::uint8_t* bytes, std::size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}
template <class Bytes>
std::string hexadecimal(const Bytes& bytes) {
  return hexadecimal(bytes.data(), bytes.size());
}

}  // namespace bzscr
