#include "core/feature_blocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace bzscr {
namespace {

Samples all_rows(const FeatureView& view) {
  Samples samples{view, std::vector<Index>(static_cast<std::size_t>(view.rows)),
                  Vector::Ones(view.rows)};
  std::iota(samples.rows.begin(), samples.rows.end(), Index{0});
  return samples;
}

// A value by the definition of binary16: sign, 5 bits of exponent, 10 of fraction.
double value_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

template <class Scalar>
void check_every_half() {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    if ((bits >> 10 & 31) != 31) halves.push_back(static_cast<std::uint16_t>(bits));
  const Index columns = 31, rows = static_cast<Index>(halves.size()) / columns;
  REQUIRE(rows * columns == static_cast<Index>(halves.size()));
  for (const bool column_major : {false, true}) {
    const Samples samples =
        all_rows({halves.data(), Storage::kFloat16, column_major, rows, columns});
    FeatureBlocks<Scalar> blocks(samples);
    const auto block = blocks.read(0, rows);
    Index wrong = 0;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) {
        const std::uint16_t bits =
            halves[static_cast<std::size_t>(column_major ? j * rows + i : i * columns + j)];
        const auto got = static_cast<double>(block(i, j));
        wrong += got != value_of_half(bits) || std::signbit(got) != (bits >> 15 == 1);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE_TEMPLATE(
    "every finite half-precision value, subnormals and both zeros included, is read exactly",
    Scalar, float, double) {
  check_every_half<Scalar>();
}

// The number that stands at (i, j): exact in half precision.
double number(Index i, Index j) { return static_cast<double>(i * 16 + j) / 8 - 20; }

template <class Stored>
std::vector<Stored> file_of(Index rows, Index columns, bool column_major) {
  std::vector<Stored> data(static_cast<std::size_t>(rows * columns));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      data[static_cast<std::size_t>(column_major ? j * rows + i : i * columns + j)] =
          static_cast<Stored>(number(i, j));
  return data;
}

template <class Stored, class Scalar>
void check_reads(Storage storage) {
  const Index rows = 37, columns = 13;
  for (const bool column_major : {false, true}) {
    const std::vector<Stored> data = file_of<Stored>(rows, columns, column_major);
    Samples samples{{data.data(), storage, column_major, rows, columns}, {}, {}};
    for (Index row = 0; row < rows; ++row)
      if (row < 10 || row % 3 == 0) samples.rows.push_back(row);
    FeatureBlocks<Scalar> blocks(samples);
    const struct {
      Index first, count;
    } reads[] = {{0, 1},
                 {0, 10},
                 {3, 5},
                 {8, 6},
                 {12, samples.size() - 12},
                 {samples.size() - 1, 1},
                 {0, samples.size()}};
    for (const auto& read : reads) {
      const auto block = blocks.read(read.first, read.count);
      REQUIRE(block.rows() == read.count);
      REQUIRE(block.cols() == columns);
      for (Index i = 0; i < read.count; ++i)
        for (Index j = 0; j < columns; ++j)
          CHECK(static_cast<double>(block(i, j)) ==
                number(samples.rows[static_cast<std::size_t>(read.first + i)], j));
    }
  }
}

TEST_CASE_TEMPLATE(
    "every storage type and order gives the same block, with and without gaps between rows", Scalar,
    float, double) {
  check_reads<Eigen::half, Scalar>(Storage::kFloat16);
  check_reads<float, Scalar>(Storage::kFloat32);
  check_reads<double, Scalar>(Storage::kFloat64);
}

TEST_CASE("consecutive rows of the same type are returned as a view, and others are copied") {
  const Index rows = 9, columns = 4;
  const std::vector<float> data = file_of<float>(rows, columns, false);
  const FeatureView view{data.data(), Storage::kFloat32, false, rows, columns};
  const Samples samples{view, {0, 2, 3, 4, 8}, Vector::Ones(5)};
  FeatureBlocks<float> blocks(samples);
  CHECK(blocks.read(1, 3).data() == data.data() + 2 * columns);
  CHECK(blocks.read(4, 1).data() == data.data() + 8 * columns);

  const auto lies_in_file = [&](const void* at) {
    return at >= data.data() && at < data.data() + data.size();
  };
  CHECK_FALSE(lies_in_file(blocks.read(0, 2).data()));
  CHECK_FALSE(lies_in_file(FeatureBlocks<double>(samples).read(1, 3).data()));
}

TEST_CASE("double to float rounds to the nearest float") {
  const std::vector<double> data = {0.1, 1.0 / 3, 1e-300, 16777217.0};
  const Samples samples = all_rows({data.data(), Storage::kFloat64, false, 1, 4});
  FeatureBlocks<float> blocks(samples);
  const auto block = blocks.read(0, 1);
  for (Index j = 0; j < 4; ++j)
    CHECK(block(0, j) == static_cast<float>(data[static_cast<std::size_t>(j)]));
}

TEST_CASE_TEMPLATE("blocks across the boundaries of parts hold the rows of the whole matrix",
                   Scalar, float, double) {
  const Index rows = 40, columns = 3;
  const std::vector<float> whole = file_of<float>(rows, columns, false);
  const std::vector<float> a(whole.begin(), whole.begin() + 10 * columns),
      b(whole.begin() + 10 * columns, whole.begin() + 11 * columns),
      c(whole.begin() + 11 * columns, whole.end());
  FeatureView view{a.data(), Storage::kFloat32,
                   false,    rows,
                   columns,  {{0, a.data()}, {10, b.data()}, {11, b.data()}, {11, c.data()}}};
  const Samples samples = all_rows(view);
  FeatureBlocks<Scalar> blocks(samples);
  for (Index first = 0; first < rows; ++first)
    for (const Index count : {Index{1}, Index{2}, Index{13}, rows}) {
      if (first + count > rows) continue;
      const auto block = blocks.read(first, count);
      Index wrong = 0;
      for (Index i = 0; i < count; ++i)
        for (Index j = 0; j < columns; ++j)
          wrong += static_cast<double>(block(i, j)) != number(first + i, j);
      CHECK(wrong == 0);
    }
}

std::vector<std::pair<const char*, const char*>> released;

TEST_CASE(
    "a view larger than memory releases exactly the pages that lie a fixed distance behind the "
    "block being read") {
  const Index rows = 5000, columns = 8192;  // 160 MB that are never touched but for a block
  const std::unique_ptr<float[]> file(new float[static_cast<std::size_t>(rows * columns)]);
  FeatureView view{file.get(), Storage::kFloat32, false, rows, columns};
  view.release = [](const void* begin, std::size_t bytes) {
    released.push_back({static_cast<const char*>(begin), static_cast<const char*>(begin) + bytes});
  };
  const Samples samples = all_rows(view);
  FeatureBlocks<float> blocks(samples);
  released.clear();
  const char* next = reinterpret_cast<const char*>(file.get());
  for (Index first = 0; first < rows; first += 256) {
    const auto block = blocks.read(first, std::min<Index>(256, rows - first));
    for (const auto& [begin, end] : released) {
      CHECK(end <= reinterpret_cast<const char*>(block.data()) - (32 << 20));
      if (first + 256 <= rows) CHECK(begin == next);
      next = end;
    }
    released.clear();
  }
  CHECK(next > reinterpret_cast<const char*>(file.get()) + (64 << 20));
}

}  // namespace
}  // namespace bzscr
