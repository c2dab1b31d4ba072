#include "data/formats/npy_file.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>

namespace bzscr {
namespace {

using test::npy_bytes;
using test::TemporaryFolder;

std::string message(const TemporaryFolder& folder, const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text.rfind(folder.path() + "/", 0) == 0);
    return text.substr(folder.path().size() + 1);
  }
  return "accepted";
}

Matrix small_integers() {
  Matrix values(3, 4);
  for (Index i = 0; i < 12; ++i) values.data()[i] = static_cast<double>(i % 2);
  values(2, 1) = 1;
  return values;
}

TEST_CASE(
    "a matrix of every type, byte order, storage order and version reads back with the written "
    "values") {
  const TemporaryFolder folder;
  const Matrix values = small_integers();
  for (const char* descr :
       {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8",
        ">i2", ">i4", ">i8", ">u2", ">u4", ">u8", ">f2", ">f4", ">f8", "<i1", ">u1"})
    for (const bool fortran : {false, true})
      for (const int version : {1, 2, 3}) {
        CAPTURE(descr);
        CAPTURE(fortran);
        CAPTURE(version);
        test::write_bytes(folder / "x.npy", npy_bytes(values, descr, fortran, version));
        CHECK(NpyFile(folder / "x.npy").matrix() == values);
      }
}

TEST_CASE("signs and fractions are kept for types that have them") {
  const TemporaryFolder folder;
  Matrix values(1, 4);
  values << -1.5, 0.25, -128.0, 6.103515625e-05;
  for (const char* descr : {"<f2", "<f4", "<f8", ">f2"}) {
    test::write_bytes(folder / "x.npy", npy_bytes(values, descr));
    CHECK(NpyFile(folder / "x.npy").matrix() == values);
  }
  values << -1, -128, 127, 0;
  for (const char* descr : {"|i1", "<i2", "<i8", ">i4"}) {
    test::write_bytes(folder / "x.npy", npy_bytes(values, descr));
    CHECK(NpyFile(folder / "x.npy").matrix() == values);
  }
}

TEST_CASE("labels of any integer type are read from shape (n,) and (n, 1)") {
  const TemporaryFolder folder;
  const std::vector<std::int64_t> values = {3, 0, 2, 1, 120};
  Matrix column(5, 1);
  column << 3, 0, 2, 1, 120;
  for (const char* descr : {"|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", ">i4", ">u8"}) {
    CAPTURE(descr);
    test::write_bytes(folder / "x.npy", npy_bytes(values, descr));
    CHECK(NpyFile(folder / "x.npy").integers() == values);
    for (const bool fortran : {false, true}) {
      test::write_bytes(folder / "x.npy", npy_bytes(column, descr, fortran));
      CHECK(NpyFile(folder / "x.npy").integers() == values);
    }
  }
}

TEST_CASE("an unsigned label above the largest int64 is outside every range") {
  const TemporaryFolder folder;
  test::write_bytes(
      folder / "x.npy",
      npy_bytes("{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}", std::string(8, '\xff')));
  CHECK(NpyFile(folder / "x.npy").integers()[0] == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("fractions and matrices are refused as labels") {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    test::write_bytes(folder / "x.npy", bytes);
    return message(folder, [&] { NpyFile(folder / "x.npy").integers(); });
  };
  const std::vector<std::int64_t> values = {0, 1};
  CHECK(refusal(npy_bytes(values, "<f8")) == "accepted");
  CHECK(refusal(npy_bytes(values, "|b1")) == "accepted");
  CHECK(refusal(npy_bytes(0.5 * Matrix::Identity(2, 1), "<f8")) ==
        "x.npy: row 0 is 0.5; expected a whole number");
  CHECK(refusal(npy_bytes(Matrix::Constant(2, 1, std::nan("")), "<f4")) ==
        "x.npy: row 0 is nan; expected a whole number");
  CHECK(refusal(npy_bytes(Matrix::Zero(2, 2), "|b1")) ==
        "x.npy: shape is (2, 2); expected (n,) or (n, 1); it looks one-hot: save "
        "labels.argmax(axis=1)");
  CHECK(refusal(npy_bytes(Matrix::Zero(1, 2), "<i4")) ==
        "x.npy: shape is (1, 2); expected (n,) or (n, 1): save labels.ravel()");
  CHECK(refusal(npy_bytes("{'descr': '<i4', 'fortran_order': False, 'shape': ()}", "1234")) ==
        "x.npy: shape is (); expected (n,) or (n, 1)");
}

TEST_CASE("features are a view of the mapped file that remains valid after its reader") {
  const TemporaryFolder folder;
  const Matrix values = small_integers();
  for (const bool fortran : {false, true}) {
    test::write_bytes(folder / "x.npy", npy_bytes(values, "<f4", fortran));
    std::shared_ptr<const void> owner;
    const FeatureView view = NpyFile(folder / "x.npy").features(owner);
    CHECK(view.storage == Storage::kFloat32);
    CHECK(view.column_major == fortran);
    CHECK(view.rows == 3);
    CHECK(view.columns == 4);
    const auto* data = static_cast<const float*>(view.data);
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 4; ++j)
        CHECK(data[fortran ? j * 3 + i : i * 4 + j] == static_cast<float>(values(i, j)));
  }
}

TEST_CASE("features that are not aligned are copied to an aligned address") {
  const TemporaryFolder folder;
  const std::string good = npy_bytes(small_integers(), "<f8");
  const std::string data = good.substr(good.size() - 12 * 8);
  for (const char* padding : {"", " ", "  ", "   "}) {
    const std::string header =
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}") + padding;
    test::write_bytes(folder / "x.npy", npy_bytes(header, data));
    std::shared_ptr<const void> owner;
    const FeatureView view = NpyFile(folder / "x.npy").features(owner);
    CHECK(reinterpret_cast<std::uintptr_t>(view.data) % sizeof(double) == 0);
    CHECK(Eigen::Map<const Matrix>(static_cast<const double*>(view.data), 3, 4) ==
          small_integers());
  }
}

TEST_CASE("a written matrix reads back, and its values are aligned to 64 bytes") {
  const TemporaryFolder folder;
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {3, 4}, {0, 7}, {24, 300}, {100000, 1}}) {
    const MatrixF values = MatrixF::Random(rows, columns);
    const std::vector<std::uint8_t> bytes = bzscr::npy_bytes(values);
    test::write_bytes(folder / "x.npy", std::string(bytes.begin(), bytes.end()));
    const NpyFile file(folder / "x.npy");
    CHECK(file.matrix() == values.cast<double>());
    CHECK(file.header().type == NpyType::kFloat32);
    CHECK(file.header().data_offset % 64 == 0);
  }
}

TEST_CASE("features that are not a matrix of little-endian floats are refused") {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    test::write_bytes(folder / "x.npy", bytes);
    std::shared_ptr<const void> owner;
    return message(folder, [&] { NpyFile(folder / "x.npy").features(owner); });
  };
  CHECK(refusal(npy_bytes(small_integers(), ">f4")) ==
        "x.npy: is big-endian, but features are used in place: save features.astype('<f4')");
  CHECK(
      refusal(npy_bytes(small_integers(), "<i4")) ==
      "x.npy: holds int32; expected float16, float32 or float64: save features.astype('float32')");
  CHECK(refusal(npy_bytes(std::vector<std::int64_t>{1, 2}, "<f4")) ==
        "x.npy: shape (2,) has 1 dimension; expected 2: samples x features");
}

}  // namespace
}  // namespace bzscr
