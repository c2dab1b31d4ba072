#pragma once

#include "data/formats/npy_header.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// A matrix of a MATLAB file, column-major.
struct MatNumbers {
  NpyType type = NpyType::kFloat64;
  std::size_t rows = 0, columns = 0;  ///< both > 0
  const void* values = nullptr;       ///< rows x columns
  std::shared_ptr<const void> owner;  ///< keeps the values alive
};

/// The variables of an open MATLAB file. Used in a child process (child_process.h), because the
/// libraries that read these files may crash on damaged ones. Members throw InputError with
/// `where`, the place of the variable.
class MatVariables {
 public:
  MatVariables() = default;
  virtual ~MatVariables() = default;
  MatVariables(const MatVariables&) = delete;
  MatVariables& operator=(const MatVariables&) = delete;

  virtual std::vector<std::string> names() = 0;
  /// A matrix of any numeric class, neither complex nor sparse.
  virtual MatNumbers numbers(const std::string& where, const std::string& name) = 0;
  /// The texts in a cell array of one column or row, or the rows of a char matrix, as UTF-8.
  virtual std::vector<std::string> texts(const std::string& where, const std::string& name) = 0;
};

/// Version 5, by libmatio. The file must have passed expect_whole_mat5().
std::unique_ptr<MatVariables> open_mat5(const std::string& path, std::size_t file_size);
/// Version 7.3, an HDF5 file, by the HDF5 library. Only values in the file itself are read: a
/// variable that is a link, or has its values in other files, is refused.
std::unique_ptr<MatVariables> open_mat73(const std::string& path, std::size_t file_size);

// For both

/// Throws InputError for an empty matrix, and for one that a file of this size cannot hold.
void expect_size(const std::string& where, std::size_t rows, std::size_t columns,
                 std::size_t file_size);
/// Throws InputError unless a cell array of this size is one column or one row.
void expect_one_column(const std::string& where, std::size_t rows, std::size_t columns);
/// The place of an entry of a cell array, from 1: "words.mat: names, entry 12".
std::string entry_of(const std::string& where, std::size_t i);
/// "is an object of class string; expected ...", with the command that converts it.
std::string object_found(const std::string& name, const std::string& of_class);

/// The rows of a char matrix as UTF-8.
/// \param units  column-major; UTF-8, UTF-16 or UTF-32
/// \param width  bytes of a unit: 1, 2 or 4
std::vector<std::string> char_rows(const std::string& where, const void* units, std::size_t count,
                                   std::size_t width, std::size_t rows, std::size_t columns);

}  // namespace bzscr
