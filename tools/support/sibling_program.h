#pragma once

#include <string>
#include <vector>

namespace bzscr::cli {

/// Runs another of the programs, which stands in the same folder as this one, or in the PATH, and
/// waits for it. Its output is dropped. Throws std::runtime_error with its error message if it
/// fails.
void run_sibling(const std::string& program, const std::vector<std::string>& arguments);

/// A name for a file that does not exist yet; what stands there in the end is removed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace bzscr::cli
