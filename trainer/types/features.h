#pragma once

#include "types/linalg.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bzscr {

enum class Storage : std::uint8_t { kFloat16, kFloat32, kFloat64 };

/// The size of one value.
constexpr Index bytes_of(Storage storage) {
  return storage == Storage::kFloat16 ? 2 : storage == Storage::kFloat32 ? 4 : 8;
}

/// A part of a feature matrix: rows from `first` up to the first row of the next part.
struct FeaturePart {
  Index first;
  const void* data;  ///< as FeatureView::data
};

/// A view of a feature matrix, usually in a mapped file. The matrix is never copied or converted as
/// a whole. The view does not own the memory.
struct FeatureView {
  /// rows x columns values of type `storage`, little-endian, aligned to their size.
  const void* data = nullptr;
  Storage storage = Storage::kFloat32;
  /// true: Fortran order, (i, j) at data[j * rows + i]; false: data[i * columns + j].
  bool column_major = false;
  Index rows = 0;     ///< samples in the file, including those that are not trained on
  Index columns = 0;  ///< m
  /// Of a matrix in several parts, each row-major: in ascending order, the first from row 0. Else
  /// empty.
  std::vector<FeaturePart> parts{};
  /// Releases the pages of values that have been read (madvise); they are read from the file again
  /// on the next access. Set if the features do not fit into memory.
  void (*release)(const void* begin, std::size_t bytes) = nullptr;

  Index row_bytes() const { return columns * bytes_of(storage); }
  /// The part that holds row i. Requires that `parts` is not empty.
  const FeaturePart& part_of(Index i) const {
    const auto next =
        std::upper_bound(parts.begin(), parts.end(), i,
                         [](Index row, const FeaturePart& part) { return row < part.first; });
    return *(next - 1);
  }
  /// Row i of a row-major matrix.
  const void* row(Index i) const {
    if (parts.empty()) return static_cast<const char*>(data) + i * row_bytes();
    const FeaturePart& part = part_of(i);
    return static_cast<const char*>(part.data) + (i - part.first) * row_bytes();
  }
};

}  // namespace bzscr
