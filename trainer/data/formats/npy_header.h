#pragma once

#include "types/linalg.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bzscr {

enum class NpyType : std::uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64
};

const char* name_of(NpyType type);                     ///< as NumPy says it: "float32"
std::size_t bytes_of(NpyType type);                    ///< of one value
bool is_integer(NpyType type);                         ///< signed or unsigned; not bool
std::string text_of(const std::vector<Index>& shape);  ///< "(24, 85)", "(24,)"

/// What the header of a .npy file says.
struct NpyHeader {
  NpyType type = NpyType::kFloat32;
  bool big_endian = false;
  bool column_major = false;    ///< Fortran order
  std::vector<Index> shape;     ///< each >= 0
  std::size_t data_offset = 0;  ///< of the first value, from the start of the file
  std::size_t data_bytes = 0;   ///< exactly what is left of the file
};

/// Reads the header of a .npy file of version 1.0, 2.0 or 3.0 held in bytes[0, size), and checks
/// that what follows it is exactly the array. Throws InputError beginning with `path`. Objects
/// (pickles), records, text and complex numbers are refused.
NpyHeader parse_npy_header(const std::string& path, const std::uint8_t* bytes, std::size_t size);

/// What the header of a .npy file of text says.
struct NpyTextHeader {
  std::size_t width = 0;  ///< characters of every value; shorter ones end in zeros
  bool utf32 = false;     ///< else one byte a character
  bool big_endian = false;
  std::vector<Index> shape;  ///< each >= 0
  std::size_t data_offset = 0;
};

/// The same of an array of text: of type '<U12' or '|S12'.
NpyTextHeader parse_npy_text_header(const std::string& path, const std::uint8_t* bytes,
                                    std::size_t size);

/// The header of a .npy file of version 1.0, as numpy.save pads it.
/// \param descr  "<f4"
std::string npy_header(const char* descr, bool column_major, const std::vector<Index>& shape);

}  // namespace bzscr
