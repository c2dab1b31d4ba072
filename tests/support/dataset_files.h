#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <string>
#include <vector>

/// Files and data set folders for tests, written independently of the code that reads them.
namespace bzscr::test {

/// A new folder in the system's temporary folder; the destructor removes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);  ///< makes the folder too

/// A .npy file of the given header text and data; the header is not padded.
std::string npy_bytes(const std::string& header, const std::string& data, int major = 1,
                      int minor = 0);
/// A .npy file of `values`, as numpy.save would write it. descr: "<f4", ">i8", "|b1", ...
std::string npy_bytes(const Matrix& values, const std::string& descr, bool fortran_order = false,
                      int major = 1);
/// A .npy file of shape (n,).
std::string npy_bytes(const std::vector<std::int64_t>& values, const std::string& descr);

/// A small valid data set in a temporary folder: 8 classes of 6 samples each, m = 5, d = 3. Unseen:
/// gnu, hen. Validation: eel, fox. Features are a linear map of the class's embedding plus a little
/// noise, so that a zero-shot classifier can do well on it.
class DataFolder : public TemporaryFolder {
 public:
  DataFolder();

  static constexpr Index kSamples = 48, kFeatures = 5, kClasses = 8, kEmbedding = 3;
  Matrix features;                   ///< as first written, float32
  Matrix embeddings;                 ///< embeddings/words.npy
  std::vector<std::int64_t> labels;  ///< sample i belongs to class i % 8
  std::vector<std::string> class_names;

  void text(const std::string& name, const std::string& bytes) const {
    write_bytes(*this / name, bytes);
  }
  void npy(const std::string& name, const Matrix& values, const std::string& descr = "<f4") const;
  void npy(const std::string& name, const std::vector<std::int64_t>& values,
           const std::string& descr = "<i8") const;
  void remove(const std::string& name) const;
};

Matrix with(Matrix values, Index row, Index column, double value);
std::vector<std::int64_t> with(std::vector<std::int64_t> values, std::size_t at,
                               std::int64_t value);

}  // namespace bzscr::test
