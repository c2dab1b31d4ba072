#pragma once

#include "data/formats/class_files.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// Labels as rows of the classes. They were given as such, counted from some number, or as names.
struct LabelRows {
  std::vector<std::int64_t> rows;
  bool by_name = false;
};

/// The labels in a .npy array: whole numbers of any type, which are rows of the classes, or texts,
/// which are names of classes. Rows are not checked to be those of classes.
LabelRows npy_labels(const std::string& where, const std::uint8_t* bytes, std::size_t size,
                     std::shared_ptr<const void> owner, const ClassRows& classes);

/// The same from a .npy file or a table (tables.h).
LabelRows read_label_file(const std::string& path, const ClassRows& classes);

}  // namespace bzscr
