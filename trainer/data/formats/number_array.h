#pragma once

#include "data/formats/npy_header.h"
#include "types/features.h"
#include "types/linalg.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// What whole numbers of a file stand for: the same mistakes have other remedies.
enum class WholeNumbers { kLabels, kRows };

/// The numbers of a file, of any type, storage order and byte order. They are converted by matrix()
/// and integers(). Every member throws InputError with where().
class NumberArray {
 public:
  /// \param where   "awa/labels.npy", or a file and a name inside: "awa.npz: labels"
  /// \param values  header.data_bytes bytes
  /// \param owner   keeps them alive
  NumberArray(std::string where, NpyHeader header, const std::uint8_t* values,
              std::shared_ptr<const void> owner);

  const std::string& where() const { return where_; }
  const NpyHeader& header() const { return header_; }
  const std::vector<Index>& shape() const { return header_.shape; }

  /// A two-dimensional array of any type, as double.
  Matrix matrix() const;
  /// Whole numbers of any type, of shape (n,) or (n, 1). Values that do not fit become the largest
  /// or the smallest int64. Labels may be bool; a list of rows may not: that would be a mask.
  std::vector<std::int64_t> integers(WholeNumbers meaning = WholeNumbers::kLabels) const;
  /// A view of a two-dimensional array of little-endian floats in a mapped file. Values that are
  /// not aligned, which NumPy does not write, are copied.
  /// \param owner  output: keeps the values alive
  FeatureView features(std::shared_ptr<const void>& owner) const;

  /// The transposed matrix, as a view of the same values.
  NumberArray transposed(std::string where) const;

 private:
  void expect_matrix(const char* rows_by_columns) const;

  std::string where_;
  NpyHeader header_;
  const std::uint8_t* values_;
  std::shared_ptr<const void> owner_;
};

/// Calls visit(T{}) with the C++ type of the values; bool comes as a byte.
template <class Visit>
void with_type(NpyType type, Visit visit) {
  switch (type) {
    case NpyType::kInt8: return visit(std::int8_t{});
    case NpyType::kInt16: return visit(std::int16_t{});
    case NpyType::kInt32: return visit(std::int32_t{});
    case NpyType::kInt64: return visit(std::int64_t{});
    case NpyType::kBool:
    case NpyType::kUint8: return visit(std::uint8_t{});
    case NpyType::kUint16: return visit(std::uint16_t{});
    case NpyType::kUint32: return visit(std::uint32_t{});
    case NpyType::kUint64: return visit(std::uint64_t{});
    case NpyType::kFloat16: return visit(Eigen::half{});
    case NpyType::kFloat32: return visit(float{});
    case NpyType::kFloat64: return visit(double{});
  }
}

}  // namespace bzscr
