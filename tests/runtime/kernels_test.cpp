#include "kernels/kernels.h"

#include "support/model_builder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace bzscr;

TEST_CASE("the scalar kernel is a dot product for each row, at any pitch") {
  for (const std::size_t length : {0u, 8u, 16u, 64u})
    for (const std::size_t pitch : {length, length + 1, length + 7})
      for (const std::size_t n : {0u, 1u, 2u, 7u}) {
        const std::vector<float> rows = test::random_vector(n * pitch, 1);
        const test::AlignedBytes x_bytes(length * sizeof(float));
        float* x = reinterpret_cast<float*>(x_bytes.data());
        const std::vector<float> values = test::random_vector(length, 2);
        std::copy(values.begin(), values.end(), x);
        std::vector<float> out(n + 1, -7.0f);

        rt::scalar_kernels().dot_rows(rows.data(), n, pitch, length, x, out.data());

        for (std::size_t r = 0; r < n; ++r) {
          double expected = 0;
          for (std::size_t i = 0; i < length; ++i) expected += static_cast<double>(rows[r * pitch + i]) * static_cast<double>(x[i]);
          CHECK(static_cast<double>(out[r]) == doctest::Approx(expected).epsilon(1e-5));
        }
        CHECK(out[n] == -7.0f);
      }
}

TEST_CASE("a kernel set is found by its name, and an unknown one is not") {
  REQUIRE(rt::select_kernels() != nullptr);
  REQUIRE(rt::select_kernels("scalar") != nullptr);
  CHECK(std::string(rt::select_kernels("scalar")->name) == "scalar");
  CHECK(rt::select_kernels("scala") == nullptr);
  CHECK(rt::select_kernels("") == nullptr);
}
