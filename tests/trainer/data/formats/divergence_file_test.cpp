#include "data/formats/divergence_file.h"

#include "dataset_files.h"

#include <doctest/doctest.h>

namespace bzscr {
namespace {

TEST_CASE("a divergence is read unchanged but for rounding, and an asymmetry above it is noted") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "delta.npy";
  Matrix Delta(2, 2);
  std::vector<std::string> notes;

  Delta << 0, 0.5, 0.5000001, 0;
  test::write_bytes(path, test::npy_bytes(Delta, "<f8"));
  CHECK(read_divergence_file(path, {"ant", "bee"}, notes) == Delta);
  CHECK(notes.empty());

  Delta << 1e-17, 1.0000001, -1e-9, -1e-7;
  test::write_bytes(path, test::npy_bytes(Delta, "<f8"));
  CHECK(read_divergence_file(path, {"ant", "bee"}, notes) ==
        (Matrix(2, 2) << 0, 1, 0, 0).finished());
  notes.clear();

  Delta << 0, 0.5, 0.25, 0;
  test::write_bytes(path, test::npy_bytes(Delta, "<f8"));
  CHECK(read_divergence_file(path, {"ant", "bee"}, notes) == Delta);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == path +
                        ": is not symmetric: 'bee' to 'ant' is 0.25, in the other direction 0.5; "
                        "rows are used as true classes");
}

}  // namespace
}  // namespace bzscr
