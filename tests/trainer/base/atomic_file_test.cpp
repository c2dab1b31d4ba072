#include "base/atomic_file.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <csignal>

namespace bzscr {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Files of this process cannot grow past a limit while this lives: the disk is "full".
struct FullDisk {
  explicit FullDisk(rlim_t bytes) {
    old_handler = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_limit);
    const rlimit limit{bytes, old_limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);
  }
  rlimit old_limit{};
  void (*old_handler)(int) = nullptr;
};

TEST_CASE(
    "a written file holds the bytes, replaces an older one, and leaves no other file in the "
    "folder") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "m.bzscr", Bytes{'a', 0, 'b'});
  CHECK(test::read_bytes(folder / "m.bzscr") == std::string("a\0b", 3));
  write_file_atomically(folder / "m.bzscr", Bytes{'c'});
  CHECK(test::read_bytes(folder / "m.bzscr") == "c");
  write_file_atomically(folder / "m.bzscr", Bytes{});
  CHECK(test::read_bytes(folder / "m.bzscr").empty());
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a file without a folder in its path is written to the current one") {
  const test::TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("m.bzscr", Bytes{'x'});
  fs::current_path(before);
  CHECK(test::read_bytes(folder / "m.bzscr") == "x");
}

TEST_CASE("a new file is as readable as any other, and an old one keeps its mode") {
  const test::TemporaryFolder folder;
  struct stat status {};
  const mode_t mask = ::umask(022);
  write_file_atomically(folder / "m", Bytes{'x'});
  ::umask(mask);
  ::stat((folder / "m").c_str(), &status);
  CHECK((status.st_mode & 0777) == 0644);
  ::chmod((folder / "m").c_str(), 0600);
  write_file_atomically(folder / "m", Bytes{'y'});
  ::stat((folder / "m").c_str(), &status);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("writing to a symbolic link changes the file that it points to") {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "real");
  test::write_bytes(folder / "real/m", "old");
  fs::create_symlink(folder / "real/m", folder / "link");
  write_file_atomically(folder / "link", Bytes{'n', 'e', 'w'});
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(test::read_bytes(folder / "real/m") == "new");
}

TEST_CASE("when the disk is full the old file stays and no temporary file remains") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "m", "old");
  {
    const FullDisk full(1000);
    CHECK_THROWS_WITH_AS(write_file_atomically(folder / "m", Bytes(5000, 'n')),
                         (folder / "m: cannot be written: File too large").c_str(), InputError);
  }
  CHECK(test::read_bytes(folder / "m") == "old");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("checking whether a file can be written changes nothing") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "m", "old");
  expect_writable(folder / "m");
  expect_writable(folder / "new");
  CHECK(test::read_bytes(folder / "m") == "old");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE(
    "a target that cannot be a file is refused with the reason, before and when it is written") {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "f");
  test::write_bytes(folder / "file", "x");
  const struct {
    std::string path, reason;
  } cases[] = {
      {folder / "f", "it is a folder"},
      {"/dev/null", "it is not a regular file"},
      {folder / "none/m", "No such file or directory"},
      {folder / "file/m", "Not a directory"},
  };
  for (const auto& each : cases) {
    const std::string sentence = each.path + ": cannot be written: " + each.reason;
    CHECK_THROWS_WITH_AS(expect_writable(each.path), sentence.c_str(), InputError);
    CHECK_THROWS_WITH_AS(write_file_atomically(each.path, Bytes{'x'}), sentence.c_str(),
                         InputError);
  }
  CHECK(entries(folder.path()) == 2);
}

}  // namespace
}  // namespace bzscr
