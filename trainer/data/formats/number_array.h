#pragma once

#include "data/formats/npy_header.h"
#include "types/features.h"
#include "types/linalg.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// Numbers as a file holds them: any type, any order of values and bytes. Nothing is converted
/// until a matrix or integers are asked for. Every member throws InputError beginning with where().
class NumberArray {
 public:
  /// \param where   "awa/labels.npy", or a file and a name inside: "awa.npz: labels"
  /// \param values  header.data_bytes of them
  /// \param owner   keeps them alive
  NumberArray(std::string where, NpyHeader header, const std::uint8_t* values,
              std::shared_ptr<const void> owner);

  const std::string& where() const { return where_; }
  const NpyHeader& header() const { return header_; }
  const std::vector<Index>& shape() const { return header_.shape; }

  /// A two-dimensional array of any type, as double.
  Matrix matrix() const;
  /// Integers of shape (n,) or (n, 1). What does not fit is given as the largest int64.
  std::vector<std::int64_t> integers() const;
  /// A two-dimensional array of little-endian floats where it lies, which must be a mapped file.
  /// `owner` keeps it alive. Values that lie at an odd address, which NumPy itself never writes,
  /// are copied to an even one.
  FeatureView features(std::shared_ptr<const void>& owner) const;

  /// Its values where they lie, rows for columns.
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
