#pragma once

#include "data/formats/class_files.h"
#include "data/formats/mat5_check.h"
#include "data/formats/number_array.h"

#include <map>
#include <string>
#include <vector>

namespace bzscr {

/// A MATLAB file: v5, compressed or not, or v7.3. It is read (mat_variables.h) in a child process
/// (child_process.h), which writes the values to an unnamed file (scratch_file.h). A v5 file is
/// first checked to be complete and to unpack with correct checksums, because libmatio replaces
/// missing values by zeros. Every member throws InputError.
class MatFile {
 public:
  explicit MatFile(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& variable) const;
  const std::vector<std::string>& variables() const { return variables_; }
  std::string where(const std::string& variable) const { return path_ + ": " + variable; }

  /// A matrix of any numeric class, neither complex nor sparse.
  NumberArray numbers(const std::string& variable) const;
  /// The same, rounded to float32.
  NumberArray numbers_as_float32(const std::string& variable) const;
  /// The texts in a cell array of one column or row, or the rows of a char matrix, as UTF-8.
  std::vector<PlacedName> names(const std::string& variable) const;

 private:
  void expect(const std::string& variable) const;
  NumberArray read_numbers(const std::string& variable, bool as_float32) const;

  std::string path_;
  MatVersion version_ = MatVersion::k5;
  std::size_t size_ = 0;
  std::vector<std::string> variables_;
  std::map<std::string, std::string> objects_;  // of a v5 file: name and class
};

}  // namespace bzscr
