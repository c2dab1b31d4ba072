#pragma once

#include "data/mapped_file.h"
#include "data/npy_header.h"
#include "types/features.h"
#include "types/linalg.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// A NumPy .npy file, mapped, its header checked (npy_header.h). Any byte order; nothing is converted
/// until a matrix or integers are asked for. Every member throws InputError beginning with the path.
class NpyFile {
 public:
  explicit NpyFile(const std::string& path);

  const std::string& path() const { return path_; }
  const NpyHeader& header() const { return header_; }
  const std::vector<Index>& shape() const { return header_.shape; }

  /// A two-dimensional array of any type, as double.
  Matrix matrix() const;
  /// Integers of shape (n,) or (n, 1). What does not fit is given as the largest int64.
  std::vector<std::int64_t> integers() const;
  /// A two-dimensional array of little-endian floats where it lies. `owner` keeps the memory alive. Values
  /// that lie at an odd address, which NumPy itself never writes, are copied to an even one.
  FeatureView features(std::shared_ptr<const void>& owner) const;

 private:
  void expect_matrix(const char* rows_by_columns) const;
  const std::uint8_t* values() const { return file_->data() + header_.data_offset; }

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  NpyHeader header_;
};

/// A .npy file of version 1.0: little-endian float32, C order.
std::vector<std::uint8_t> npy_bytes(const MatrixF& values);

}  // namespace bzscr
