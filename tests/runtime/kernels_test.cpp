#include "kernels/kernels.h"

#include "support/model_builder.h"

#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

using namespace bzscr;

namespace {

constexpr std::size_t kCounts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 17};
constexpr std::size_t kLengths[] = {0, 8, 16, 24, 32, 40, 64, 104, 1032};

std::vector<rt::Kernels> all_kernels() {
  std::vector<rt::Kernels> all;
  rt::Kernels kernels;
  while (rt::usable_kernels(all.size(), &kernels)) all.push_back(kernels);
  return all;
}

/// Values that start `shift` values after an aligned address and end where the allocation ends.
template <class Value>
class Aligned {
 public:
  Aligned(const std::vector<Value>& values, std::size_t shift = 0)
      : bytes_((values.size() + shift) * sizeof(Value)), shift_(shift) {
    if (!values.empty())
      std::memcpy(bytes_.data() + shift * sizeof(Value), values.data(),
                  values.size() * sizeof(Value));
  }
  const Value* data() const { return reinterpret_cast<const Value*>(bytes_.data()) + shift_; }

 private:
  test::AlignedBytes bytes_;
  std::size_t shift_;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);  // memcmp takes no null
}

std::vector<std::int8_t> random_int8(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int8_t> values(n);
  for (std::int8_t& each : values)
    each = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
  return values;
}

// Random float16 numbers of both signs and zeros, but no subnormals, infinities and NaN.
std::vector<std::uint16_t> random_halves(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint16_t> values(n);
  for (std::uint16_t& each : values) {
    each = static_cast<std::uint16_t>(random());
    const unsigned exponent = each >> 10 & 31u;
    if (exponent == 0 || exponent == 31) each &= 0x8000u;
  }
  return values;
}

double value_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const double size = exponent == 0 ? 0.0 : std::ldexp(1024 + (half & 1023), exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

std::size_t values_for(std::size_t n, std::size_t pitch, std::size_t length) {
  return n == 0 ? 0 : (n - 1) * pitch + length;
}

std::vector<float> dot_float32(const rt::Kernels& kernels, const float* rows, std::size_t n,
                               std::size_t pitch, std::size_t length, const float* x) {
  std::vector<float> out(n + 1, -7.0f);
  kernels.dot_float32(rows, n, pitch, length, x, out.data());
  CHECK(out[n] == -7.0f);
  return out;
}

}  // namespace

TEST_CASE("the scalar kernel computes the dot product of each row, at any pitch") {
  for (const std::size_t length : kLengths)
    for (const std::size_t pitch : {length, length + 1, length + 7})
      for (const std::size_t n : {0u, 1u, 2u, 7u}) {
        const std::vector<float> rows = test::random_vector(n * pitch, 1);
        const std::vector<float> values = test::random_vector(length, 2);
        const std::vector<float> out = dot_float32(rt::scalar_kernels(), rows.data(), n, pitch,
                                                   length, Aligned<float>(values).data());

        for (std::size_t r = 0; r < n; ++r) {
          double expected = 0;
          for (std::size_t i = 0; i < length; ++i)
            expected += static_cast<double>(rows[r * pitch + i]) * static_cast<double>(values[i]);
          CHECK(std::abs(static_cast<double>(out[r]) - expected) < 1e-5);
        }
      }
}

TEST_CASE("the scalar kernel's integer sums and its conversions from float16 are exact") {
  const std::vector<std::int8_t> a = random_int8(3 * 96, 1);
  const std::vector<std::int8_t> b = random_int8(96, 2);
  std::int32_t sums[3];
  rt::scalar_kernels().dot_int8(Aligned<std::int8_t>(a).data(), 3, 96, 96,
                                Aligned<std::int8_t>(b).data(), sums);
  for (std::size_t r = 0; r < 3; ++r) {
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < 96; ++i) expected += std::int64_t{a[r * 96 + i]} * b[i];
    CHECK(sums[r] == expected);
  }

  const std::vector<float> one = {1, 0, 0, 0, 0, 0, 0, 0};
  for (std::uint32_t half = 0; half < 0x10000u; ++half) {
    const unsigned exponent = half >> 10 & 31u;
    if (exponent == 31 || (exponent == 0 && (half & 1023u) != 0)) continue;
    const std::vector<std::uint16_t> row = {static_cast<std::uint16_t>(half), 0, 0, 0, 0, 0, 0, 0};
    float out = 0;
    rt::scalar_kernels().dot_float16(row.data(), 1, 8, 8, one.data(), &out);
    REQUIRE(static_cast<double>(out) == value_of_half(row[0]));
  }
}

TEST_CASE(
    "every kernel gives the bits of the scalar one, for floats of any length, number and "
    "alignment") {
  for (const rt::Kernels& kernels : all_kernels())
    for (const std::size_t length : kLengths)
      for (const std::size_t n : kCounts)
        for (const std::size_t pitch : {length, length + 1, length + 8})
          for (const std::size_t shift : {0u, 1u, 5u}) {
            CAPTURE(kernels.name);
            CAPTURE(length);
            CAPTURE(n);
            const Aligned<float> rows(test::random_vector(values_for(n, pitch, length), 3), shift);
            const Aligned<float> x(test::random_vector(length, 4));
            CHECK(same_bits(
                dot_float32(kernels, rows.data(), n, pitch, length, x.data()),
                dot_float32(rt::scalar_kernels(), rows.data(), n, pitch, length, x.data())));
          }
}

TEST_CASE(
    "every kernel gives the bits of the scalar one, for subnormal, signed zero and extreme "
    "floats") {
  const float subnormal = std::numeric_limits<float>::denorm_min();
  const float values[] = {0.0f, -0.0f, subnormal, -subnormal, 100 * subnormal, FLT_MIN, -FLT_MIN,
                          1.0f, -1.0f, 1e-20f,    1e18f,      -1e18f,          FLT_MAX, -FLT_MAX};
  std::mt19937 random(5);
  for (const rt::Kernels& kernels : all_kernels())
    for (int trial = 0; trial < 300; ++trial) {
      CAPTURE(kernels.name);
      const std::size_t length = kLengths[1 + random() % 6];
      std::vector<float> rows(9 * length);
      std::vector<float> x(length);
      // Products that overflow all have the same sign: the bits of NaN may differ.
      const std::size_t kinds = trial % 3 == 0 ? 14 : 12;
      for (float& each : rows) each = values[random() % kinds];
      for (float& each : x) each = values[random() % (trial % 2 == 0 ? 10 : 12)];
      if (kinds == 14)
        for (std::size_t i = 0; i < rows.size(); ++i)
          rows[i] = std::copysign(rows[i], x[i % length]);
      if (!kernels.subnormals) {
        for (float& each : rows) each = std::abs(each) < 1e-15f ? 0.0f : each;
        for (float& each : x) each = std::abs(each) < 1e-15f ? 0.0f : each;
      }
      const Aligned<float> all_rows(rows);
      const Aligned<float> all_x(x);
      CHECK(same_bits(
          dot_float32(kernels, all_rows.data(), 9, length, length, all_x.data()),
          dot_float32(rt::scalar_kernels(), all_rows.data(), 9, length, length, all_x.data())));
    }
}

TEST_CASE("every kernel gives the bits of the scalar one, for float16") {
  for (const rt::Kernels& kernels : all_kernels())
    for (const std::size_t length : kLengths)
      for (const std::size_t n : kCounts) {
        CAPTURE(kernels.name);
        CAPTURE(length);
        CAPTURE(n);
        const std::size_t pitch = (length + 15) / 16 * 16;
        const Aligned<std::uint16_t> rows(random_halves(values_for(n, pitch, length), 3));
        const Aligned<float> x(test::random_vector(length, 4));
        std::vector<float> out(n + 1, -7.0f);
        std::vector<float> expected(n + 1, -7.0f);
        kernels.dot_float16(rows.data(), n, pitch, length, x.data(), out.data());
        rt::scalar_kernels().dot_float16(rows.data(), n, pitch, length, x.data(), expected.data());
        CHECK(same_bits(out, expected));
      }
}

TEST_CASE("every kernel's integer sums are exact, up to the longest row of the largest values") {
  constexpr std::size_t kLongest = std::size_t{1} << 17;
  for (const rt::Kernels& kernels : all_kernels()) {
    CAPTURE(kernels.name);
    for (const std::size_t length : {0u, 32u, 64u, 96u, 128u, 1056u})
      for (const std::size_t n : kCounts)
        for (const std::size_t pitch : {length, length + 32}) {
          const Aligned<std::int8_t> rows(random_int8(values_for(n, pitch, length), 3));
          const Aligned<std::int8_t> x(random_int8(length, 4));
          std::vector<std::int32_t> out(n + 1, -7);
          std::vector<std::int32_t> expected(n + 1, -7);
          kernels.dot_int8(rows.data(), n, pitch, length, x.data(), out.data());
          rt::scalar_kernels().dot_int8(rows.data(), n, pitch, length, x.data(), expected.data());
          CHECK(out == expected);
        }
    for (const int sign : {1, -1}) {
      const Aligned<std::int8_t> row(std::vector<std::int8_t>(kLongest, 127));
      const Aligned<std::int8_t> x(
          std::vector<std::int8_t>(kLongest, static_cast<std::int8_t>(127 * sign)));
      std::int32_t sum = 0;
      kernels.dot_int8(row.data(), 1, kLongest, kLongest, x.data(), &sum);
      CHECK(sum == sign * 127 * 127 * static_cast<std::int32_t>(kLongest));
    }
  }
}

TEST_CASE("every kernel gives the bits of the scalar one, for linear combinations of rows") {
  for (const rt::Kernels& kernels : all_kernels())
    for (const std::size_t length : kLengths)
      for (const std::size_t n : kCounts)
        for (const std::size_t pitch : {length, length + 3}) {
          CAPTURE(kernels.name);
          CAPTURE(length);
          CAPTURE(n);
          const Aligned<float> rows(test::random_vector(values_for(n, pitch, length), 3), 1);
          const std::vector<float> factors = test::random_vector(n, 4);
          const test::AlignedBytes out((length + 1) * sizeof(float));
          float* sums = reinterpret_cast<float*>(out.data());
          sums[length] = -7.0f;
          std::vector<float> expected(length);
          rt::scalar_kernels().combine(rows.data(), n, pitch, length, factors.data(),
                                       expected.data());
          kernels.combine(rows.data(), n, pitch, length, factors.data(), sums);
          CHECK(same_bits({sums, sums + length}, expected));
          for (std::size_t i = 0; i < length; ++i) {
            double plain = 0;
            for (std::size_t r = 0; r < n; ++r)
              plain +=
                  static_cast<double>(factors[r]) * static_cast<double>(rows.data()[r * pitch + i]);
            REQUIRE(std::abs(static_cast<double>(sums[i]) - plain) < 1e-5);
          }
          CHECK(sums[length] == -7.0f);
        }
}

TEST_CASE("kernels are found by name, and an unknown name is not found") {
  rt::Kernels kernels;
  const std::vector<rt::Kernels> all = all_kernels();
  REQUIRE(rt::select_kernels(nullptr, &kernels));
  CHECK(std::string(kernels.name) == all.front().name);
  CHECK(std::string(all.back().name) == "scalar");
  for (const rt::Kernels& each : all) {
    REQUIRE(rt::select_kernels(each.name, &kernels));
    CHECK(std::string(kernels.name) == each.name);
  }
  for (const char* name : {"scala", "scalar2", "", "AVX2"})
    CHECK(!rt::select_kernels(name, &kernels));
}
