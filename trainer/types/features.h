#pragma once

#include "types/linalg.h"

#include <cstdint>

namespace bzscr {

enum class Storage : std::uint8_t { kFloat16, kFloat32, kFloat64 };

/// A matrix of features where it lies, usually in a mapped file: never copied whole, never converted
/// whole. Whoever made the view keeps the memory.
struct FeatureView {
  const void* data = nullptr;     ///< rows x columns values of `storage`, little-endian, aligned to their size
  Storage storage = Storage::kFloat32;
  bool column_major = false;      ///< Fortran order: (i, j) at data[j * rows + i]; else data[i * columns + j]
  Index rows = 0;                 ///< samples in the file, training or not
  Index columns = 0;              ///< m
};

}  // namespace bzscr
