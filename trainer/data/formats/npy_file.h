#pragma once

#include "base/mapped_file.h"
#include "data/formats/number_array.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// The array of a .npy file (npy_header.h) in bytes[0, size).
NumberArray npy_array(const std::string& where, const std::uint8_t* bytes, std::size_t size,
                      std::shared_ptr<const void> owner);

/// A mapped NumPy .npy file with a checked header.
class NpyFile : public NumberArray {
 public:
  explicit NpyFile(const std::string& path) : NpyFile(path, std::make_shared<MappedFile>(path)) {}

 private:
  NpyFile(const std::string& path, const std::shared_ptr<const MappedFile>& file)
      : NumberArray(npy_array(path, file->data(), file->size(), file)) {}
};

/// A .npy file of version 1.0: little-endian float32, C order.
std::vector<std::uint8_t> npy_bytes(const MatrixF& values);

}  // namespace bzscr
