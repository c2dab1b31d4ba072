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

const char* name_of(NpyType type);                     ///< NumPy's name: "float32"
std::size_t bytes_of(NpyType type);                    ///< size of one value
bool is_integer(NpyType type);                         ///< signed or unsigned; not bool
std::string text_of(const std::vector<Index>& shape);  ///< "(24, 85)", "(24,)"

/// The header of a .npy file of numbers.
struct NpyHeader {
  NpyType type = NpyType::kFloat32;
  bool big_endian = false;
  bool column_major = false;    ///< Fortran order
  std::vector<Index> shape;     ///< each >= 0
  std::size_t data_offset = 0;  ///< of the first value, from the start of the file
  std::size_t data_bytes = 0;   ///< of the values, up to the end of the file
};

/// Reads the header of a .npy file of version 1.0, 2.0 or 3.0 in bytes[0, size), and checks that
/// exactly the array follows it. Throws InputError with `path`, also for objects (pickles),
/// records, text and complex numbers.
NpyHeader parse_npy_header(const std::string& path, const std::uint8_t* bytes, std::size_t size);

/// Whether a .npy file holds texts, of type '<U12' or '|S12'. Throws InputError as
/// parse_npy_header() does for a malformed header.
bool is_npy_text(const std::string& path, const std::uint8_t* bytes, std::size_t size);

/// The header of a .npy file of text.
struct NpyTextHeader {
  std::size_t width = 0;  ///< characters of every value; shorter ones end in zeros
  bool utf32 = false;     ///< false: one byte per character
  bool big_endian = false;
  std::vector<Index> shape;  ///< each >= 0
  std::size_t data_offset = 0;
};

/// The same for an array of text, of type '<U12' or '|S12'.
NpyTextHeader parse_npy_text_header(const std::string& path, const std::uint8_t* bytes,
                                    std::size_t size);

/// The header of a .npy file of version 1.0, padded like that of numpy.save.
/// \param descr  "<f4"
std::string npy_header(const char* descr, bool column_major, const std::vector<Index>& shape);

}  // namespace bzscr
