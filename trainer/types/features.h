#pragma once

#include "types/linalg.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bzscr {

enum class Storage : std::uint8_t { kFloat16, kFloat32, kFloat64 };

/// Of one value.
constexpr Index bytes_of(Storage storage) {
  return storage == Storage::kFloat16 ? 2 : storage == Storage::kFloat32 ? 4 : 8;
}

/// A piece of a matrix of features: rows from `first` up to where the next piece begins.
struct FeaturePart {
  Index first;
  const void* data;  ///< as FeatureView::data
};

/// A matrix of features where it lies, usually in a mapped file: never copied whole, never
/// converted whole. Whoever made the view keeps the memory.
struct FeatureView {
  const void* data =
      nullptr;  ///< rows x columns values of `storage`, little-endian, aligned to their size
  Storage storage = Storage::kFloat32;
  bool column_major =
      false;          ///< Fortran order: (i, j) at data[j * rows + i]; else data[i * columns + j]
  Index rows = 0;     ///< samples in the file, training or not
  Index columns = 0;  ///< m
  std::vector<FeaturePart> parts{};  ///< of a matrix that lies in several pieces, row-major each:
                                     ///< from row 0, rising; else empty
  /// Lets go of memory that holds values, until they are read again. Set where there are more than
  /// memory holds.
  void (*release)(const void* begin, std::size_t bytes) = nullptr;

  Index row_bytes() const { return columns * bytes_of(storage); }
  /// The piece that row i lies in; there are several.
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
