// Features in several files, one below the other.
#include <bzscr_train/error.hpp>
#include "data/dataset.h"
#include "data/dataset_writer.h"
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace bzscr {
namespace {

using test::DataFolder;

std::string part_name(int number) { return "features.part-00" + std::to_string(number) + ".npy"; }

/// The folder's features in parts of these many rows instead of in one file.
void cut(const DataFolder& folder, const std::vector<Index>& rows,
         const std::string& descr = "<f4") {
  folder.remove("features.npy");
  Index first = 0;
  for (std::size_t p = 0; p < rows.size(); first += rows[p++])
    folder.npy(part_name(static_cast<int>(p)), folder.features.middleRows(first, rows[p]), descr);
}

TEST_CASE("a data set in parts is the data set of the whole file, to its hash") {
  for (const char* descr : {"<f2", "<f4", "<f8"}) {
    CAPTURE(descr);
    const DataFolder whole;
    whole.npy("features.npy", whole.features, descr);
    const Dataset expected = read_dataset(whole.path(), {});
    for (const std::vector<Index>& rows :
         {std::vector<Index>{48}, {1, 47}, {17, 0, 31}, {16, 16, 15, 1}}) {
      const DataFolder folder;
      cut(folder, rows, descr);
      const Dataset data = read_dataset(folder.path(), {});
      CHECK(data.hash == expected.hash);
      CHECK(data.feature_norms == expected.feature_norms);
      CHECK(data.features.rows == 48);
      for (Index i = 0; i < 48; ++i)
        CHECK(std::string(static_cast<const char*>(data.features.row(i)),
                          static_cast<std::size_t>(data.features.row_bytes())) ==
              std::string(static_cast<const char*>(expected.features.row(i)),
                          static_cast<std::size_t>(data.features.row_bytes())));
    }
  }
}

TEST_CASE("a data set in parts is written as one file of the same hash") {
  const DataFolder folder;
  cut(folder, {20, 0, 28});
  const Dataset data = read_dataset(folder.path(), {});
  const test::TemporaryFolder out;
  write_dataset(data, out / "whole", false);
  CHECK(read_dataset(out / "whole", {}).hash == data.hash);
  CHECK(test::read_bytes(out / "whole/features.npy").size() ==
        test::npy_bytes(folder.features, "<f4").size());
}

TEST_CASE("parts that do not agree are refused with an error message for each reason") {
  const struct {
    std::function<void(const DataFolder&)> spoil;
    std::string message;  // after the folder
  } cases[] = {
      {[](auto& d) { d.remove(part_name(1)); },
       ": holds features.part-002.npy but no features.part-001.npy; expected parts numbered from 0 "
       "without a gap"},
      {[](auto& d) { d.npy("features.part-1.npy", d.features); },
       ": holds both features.part-001.npy and features.part-1.npy; expected one"},
      {[](auto& d) { d.npy("features.npy", d.features); },
       ": holds both features.npy and features.part-000.npy; expected the features whole or in "
       "parts"},
      {[](auto& d) { d.npy(part_name(2), d.features.topRows(9)); },
       ": its 3 parts have 49 rows in all, but labels.npy has 48 labels; expected 48 rows"},
      {[](auto& d) { d.npy(part_name(1), d.features.middleRows(20, 20).leftCols(4)); },
       "/features.part-001.npy: holds 4 columns of float32, but FOLDER/features.part-000.npy 5 "
       "columns of float32; expected the same in every part"},
      {[](auto& d) { d.npy(part_name(1), d.features.middleRows(20, 20), "<f2"); },
       "/features.part-001.npy: holds 5 columns of float16, but FOLDER/features.part-000.npy 5 "
       "columns of float32; expected the same in every part"},
      {[](auto& d) {
         d.text(part_name(2), test::npy_bytes(d.features.bottomRows(8), "<f4", true));
       },
       "/features.part-002.npy: is in Fortran order; expected C order in features of several "
       "parts: save numpy.ascontiguousarray(features)"},
      {[](auto& d) { d.npy(part_name(1), test::with(d.features.middleRows(20, 20), 7, 3, NAN)); },
       "/features.part-001.npy: row 7, column 3 is nan; expected finite values within float32"},
      {[](auto& d) { d.npy(part_name(2), Matrix(Matrix::Zero(8, 5))); },
       "/features.part-002.npy: row 0 is all zero; expected at least one nonzero feature; 8 such "
       "rows: 0, 1, 2, 3, 4, 5, 6, 7"},
      {[](auto& d) { d.text(part_name(1), "no array"); },
       "/features.part-001.npy: is not a NumPy .npy file"},
  };
  for (const auto& bad : cases) {
    const DataFolder folder;
    cut(folder, {20, 20, 8});
    bad.spoil(folder);
    std::string expected = folder.path() + bad.message;
    if (const std::size_t at = expected.find("FOLDER"); at != std::string::npos)
      expected.replace(at, 6, folder.path());
    CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {}), expected.c_str(), InputError);
  }
}

TEST_CASE("a file whose name only resembles that of a part is ignored") {
  const DataFolder folder;
  folder.text("features.part-0a.npy", "not read");
  folder.text("features.part-.npy", "not read");
  folder.text("features.part-000.txt", "not read");
  CHECK(read_dataset(folder.path(), {}).features.parts.empty());
}

}  // namespace
}  // namespace bzscr
