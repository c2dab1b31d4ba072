#include "core/products.h"

#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

namespace bzscr {
namespace {

using test::random_matrix;

struct Shape {
  Index n, m, w;
};

// Around the rows of a tile, the inner indices to a pass and the vectors to a panel.
const Shape shapes[] = {{1, 1, 16},     {1, 300, 16},     {3, 127, 16}, {5, 128, 32}, {7, 129, 48},
                        {8, 8, 48},     {13, 257, 64},    {23, 31, 80}, {24, 24, 96}, {25, 25, 128},
                        {256, 40, 112}, {257, 130, 1024}, {6, 5, 10},   {4, 0, 16},   {0, 4, 16}};

template <class Scalar>
void check_products(ProductKernel kernel = ProductKernel::kBest) {
  const double tolerance = sizeof(Scalar) == 4 ? 1e-5 : 1e-13;
  for (const Shape& shape : shapes) {
    const Index n = shape.n, m = shape.m, w = shape.w;
    CAPTURE(n);
    CAPTURE(m);
    CAPTURE(w);
    // X is part of a wider matrix: its rows are further apart than they are long.
    const RowMatrix<Scalar> wide = random_matrix(n, m + 3, 1).cast<Scalar>();
    const auto X = wide.middleCols(2, m);
    const RowMatrix<Scalar> A = random_matrix(m, w, 2).cast<Scalar>(),
                            R = random_matrix(n, w, 3).cast<Scalar>();
    RowMatrix<Scalar> XA, XtR;
    times<Scalar>(X, A, XA, kernel);
    transposed_times<Scalar>(X, R, XtR, kernel);
    REQUIRE(XA.rows() == n);
    REQUIRE(XtR.rows() == m);
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < w; ++c) {
        double sum = 0;
        for (Index p = 0; p < m; ++p)
          sum += static_cast<double>(X(i, p)) * static_cast<double>(A(p, c));
        CHECK(std::fabs(static_cast<double>(XA(i, c)) - sum) <=
              tolerance * (1 + std::sqrt(static_cast<double>(m))));
      }
    for (Index p = 0; p < m; ++p)
      for (Index c = 0; c < w; ++c) {
        double sum = 0;
        for (Index i = 0; i < n; ++i)
          sum += static_cast<double>(X(i, p)) * static_cast<double>(R(i, c));
        CHECK(std::fabs(static_cast<double>(XtR(p, c)) - sum) <=
              tolerance * (1 + std::sqrt(static_cast<double>(n))));
      }
  }
}

TEST_CASE_TEMPLATE("both products agree with plain loops at odd sizes", Scalar, float, double) {
  INFO(product_kernel());
  check_products<Scalar>();
}

TEST_CASE("both products agree with plain loops where BLAS computes them") {
  check_products<float>(ProductKernel::kBlas);
}

TEST_CASE("a row of a product does not depend on the rows around it") {
  const MatrixF X = random_matrix(37, 200, 4).cast<float>(),
                A = random_matrix(200, 48, 5).cast<float>();
  MatrixF all, one;
  times<float>(X, A, all);
  if (product_kernel() == std::string("blas")) return;  // it may choose by size
  for (Index i = 0; i < 37; ++i) {
    times<float>(X.middleRows(i, 1), A, one);
    CHECK(std::memcmp(one.data(), all.row(i).data(), 48 * sizeof(float)) == 0);
  }
}

}  // namespace
}  // namespace bzscr
