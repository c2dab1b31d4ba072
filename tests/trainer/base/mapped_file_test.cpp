#include "base/mapped_file.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace bzscr {
namespace {

TEST_CASE("a mapped file shows the bytes of the file") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "x", "seven..");
  const MappedFile file(folder / "x");
  REQUIRE(file.size() == 7);
  CHECK(std::memcmp(file.data(), "seven..", 7) == 0);
}

TEST_CASE("a mapped file keeps its bytes when another file is renamed over it") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "x", "old");
  const MappedFile file(folder / "x");
  test::write_bytes(folder / "y", "new and longer");
  REQUIRE(::rename((folder / "y").c_str(), (folder / "x").c_str()) == 0);
  CHECK(std::memcmp(file.data(), "old", 3) == 0);
}

TEST_CASE("a file that cannot be mapped is refused with its path and the reason") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "empty", "");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(MappedFile(folder / "none"), (folder / "none: no such file").c_str(),
                       InputError);
  CHECK_THROWS_WITH_AS(MappedFile(folder.path()),
                       (folder.path() + ": is a folder; expected a file").c_str(), InputError);
  CHECK_THROWS_WITH_AS(MappedFile(folder / "empty"), (folder / "empty: is empty").c_str(),
                       InputError);
  CHECK_THROWS_WITH_AS(MappedFile(folder / "pipe"),
                       (folder / "pipe: is not a regular file").c_str(), InputError);
}

TEST_CASE("a file without permission is refused with the reason" *
          doctest::skip(::geteuid() == 0)) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "secret", "x");
  REQUIRE(::chmod((folder / "secret").c_str(), 0) == 0);
  CHECK_THROWS_WITH_AS(MappedFile(folder / "secret"),
                       (folder / "secret: cannot be read: Permission denied").c_str(), InputError);
}

TEST_CASE("released pages, and parts of pages, are read again with the same bytes") {
  const test::TemporaryFolder folder;
  std::string bytes(100000, ' ');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i % 251);
  test::write_bytes(folder / "x", bytes);
  const MappedFile file(folder / "x");
  for (const auto& [begin, size] : {std::pair<std::size_t, std::size_t>{0, 100000},
                                    {5000, 60000},
                                    {4096, 4096},
                                    {99999, 1},
                                    {17, 0}}) {
    release_pages(file.data() + begin, size);
    CHECK(file.text() == bytes);
  }
}

}  // namespace
}  // namespace bzscr
