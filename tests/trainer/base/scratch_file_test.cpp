#include "base/scratch_file.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace bzscr {
namespace {

/// TMPDIR while a test runs.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& path) {
    if (const char* const set = std::getenv("TMPDIR")) before_ = set;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryDirectory() {
    before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1);
  }

 private:
  std::string before_;
};

TEST_CASE("appended parts of any size are mapped in order, and the folder holds no file name") {
  const test::TemporaryFolder folder;
  const TemporaryDirectory here(folder.path());
  ScratchFile scratch("x.npz");
  std::string expected;
  for (const std::size_t size : {1u, 7u, 300000u, 0u, 262143u, 2u, 262144u}) {
    const std::string piece(size, static_cast<char>('a' + size % 23));
    scratch.append(piece.data(), piece.size());
    expected += piece;
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  const auto file = scratch.map();
  CHECK(std::string(reinterpret_cast<const char*>(file->data()), file->size()) == expected);
}

TEST_CASE("a full disk is reported with the file that is unpacked and the folder") {
  const TemporaryDirectory nowhere("/nowhere");
  CHECK_THROWS_WITH_AS(ScratchFile("x.npz"),
                       "x.npz: cannot be unpacked in /nowhere: No such file or directory; set "
                       "TMPDIR to a folder with free space",
                       InputError);
}

}  // namespace
}  // namespace bzscr
