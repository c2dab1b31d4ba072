#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <string>

/// MATLAB files of version 7.3 for tests, written by the HDF5 library as other programs than MATLAB
/// write them.
namespace bzscr::test {

enum class Padding { kNullTerminated, kNullPadded, kBlankPadded, kVariableLength };

class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);
  ~Hdf5Writer();  ///< writes MATLAB's header
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// \param of_class  of the attribute MATLAB_class; empty: without it
  void numbers(const std::string& name, const Matrix& values, const std::string& of_class,
               Padding padding = Padding::kNullTerminated);
  /// Bytes, `count` x 1, that are those of another file.
  void external_bytes(const std::string& name, const std::string& file, Index count);
  /// A virtual dataset of doubles, n x 1, of a dataset of another file.
  void virtual_numbers(const std::string& name, const std::string& file, const std::string& source,
                       Index count);
  void soft_link(const std::string& name, const std::string& target);
  void external_link(const std::string& name, const std::string& file, const std::string& target);

 private:
  std::string path_;
  std::int64_t file_;
};

}  // namespace bzscr::test
