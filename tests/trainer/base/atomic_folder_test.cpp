#include "base/atomic_folder.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include <sys/stat.h>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

std::set<std::string> listing(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

const auto all_known = [](const std::string&) { return true; };

TEST_CASE("a published folder holds all its files and has the default permissions") {
  const test::TemporaryFolder place;
  for (const char* name : {"awa", "with/slash/"}) {
    fs::create_directories(place / "with");
    {
      OutputFolder folder(place / name);
      folder.write("a.txt", {"one ", "", "two"});
      folder.write("inside/b.txt", {"three"});
      CHECK_FALSE(fs::exists(place / name));
      folder.publish(false);
    }
    CHECK(listing(place / name) == std::set<std::string>{"a.txt", "inside", "inside/b.txt"});
    CHECK(test::read_bytes(place / name + "/a.txt") == "one two");
    const mode_t mask = ::umask(0);
    ::umask(mask);
    struct stat status {};
    REQUIRE(::stat((place / name).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == (0777 & ~mask));
  }
  CHECK(listing(place.path()).size() == 9);
}

TEST_CASE("an unpublished folder is removed") {
  const test::TemporaryFolder place;
  { OutputFolder(place / "awa").write("inside/a.txt", {"one"}); }
  CHECK(fs::is_empty(place.path()));
}

TEST_CASE("an existing folder is replaced completely if requested, and is kept otherwise") {
  const test::TemporaryFolder place;
  test::write_bytes(place / "awa/old.txt", "old");
  {
    OutputFolder folder(place / "awa");
    folder.write("new.txt", {"new"});
    CHECK_THROWS_WITH_AS(folder.publish(false),
                         (place / "awa: cannot be written: File exists").c_str(), InputError);
  }
  CHECK(listing(place.path()) == std::set<std::string>{"awa", "awa/old.txt"});
  {
    OutputFolder folder(place / "awa/");
    folder.write("new.txt", {"new"});
    folder.publish(true);
  }
  CHECK(listing(place.path()) == std::set<std::string>{"awa", "awa/new.txt"});
}

TEST_CASE("a folder that cannot be created is refused with an error message before the work") {
  const test::TemporaryFolder place;
  test::write_bytes(place / "awa/old.txt", "old");
  test::write_bytes(place / "file", "x");
  CHECK_THROWS_WITH_AS(
      expect_free(place / "awa", false, all_known),
      (place / "awa: exists already; expected a new name, or the option to replace it").c_str(),
      InputError);
  CHECK_THROWS_WITH_AS(
      expect_free(place / "awa", true, [](const auto& name) { return name != "old.txt"; }),
      (place /
       "awa: holds old.txt, which is not part of a data set and would be lost; move it away first")
          .c_str(),
      InputError);
  CHECK_THROWS_WITH_AS(expect_free(place / "file", true, all_known),
                       (place / "file: cannot be written: it exists and is not a folder").c_str(),
                       InputError);
  CHECK_THROWS_WITH_AS(expect_free(place / "none/awa", false, all_known),
                       (place / "none/awa: cannot be written: No such file or directory").c_str(),
                       InputError);
  CHECK_THROWS_WITH_AS(expect_free("", false, all_known),
                       "the folder to write has no name; expected one", InputError);
  expect_free(place / "awa", true, all_known);
  expect_free(place / "new", false, all_known);
  CHECK(listing(place.path()) == std::set<std::string>{"awa", "awa/old.txt", "file"});
}

}  // namespace
}  // namespace bzscr
