#pragma once

#include "data/formats/class_files.h"
#include "data/formats/number_array.h"

#include <string>
#include <vector>

namespace bzscr {

/// A MATLAB file: v5, compressed or not, or v7.3. It is read by libmatio in a process of its own
/// (child_process.h), which leaves the values in a nameless file (scratch_file.h). Of a v5 file it
/// is checked first that it is whole and that what is compressed unpacks to its checksum: libmatio
/// takes what is missing for zeros. Every member throws InputError.
class MatFile {
 public:
  explicit MatFile(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& variable) const;
  std::string where(const std::string& variable) const { return path_ + ": " + variable; }

  /// A matrix of any class of numbers, not complex and not sparse.
  NumberArray numbers(const std::string& variable) const;
  /// The same with every value rounded to float32, half the size of MATLAB's usual doubles.
  NumberArray numbers_as_float32(const std::string& variable) const;
  /// The texts in a cell array of one column or row, as UTF-8.
  std::vector<PlacedName> names(const std::string& variable) const;

 private:
  void expect(const std::string& variable) const;
  unsigned seconds() const;

  std::string path_;
  std::size_t size_ = 0;
  std::vector<std::string> variables_;
};

}  // namespace bzscr
