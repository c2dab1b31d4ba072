#include "core/counters.h"

#include "core/curvature.h"
#include "core/sweep.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <omp.h>

#include <thread>

namespace bzscr {
namespace {

using test::random_matrix;
using test::RandomProblem;

/// Five blocks, the last one short; k, C and m fill no whole vector.
const test::Shape kShape{1100, 7, 4, 31, 5};
constexpr Index kWeakModels = 3;

template <class Pass>
Counters cost_of(Pass pass) {
  const Counters before = counters();
  pass();
  return counters() - before;
}

struct Point {
  RandomProblem random{kShape};
  Sweep<float> sweep{random.problem, 0.5};
  Matrix A = random_matrix(kShape.m, kWeakModels, 11), B = random_matrix(kShape.p, kWeakModels, 12);
  Vector s = test::random_sample_weights(kShape.N);
};

TEST_CASE("the flops of a pass are those of its products, padding left out") {
  const Point at;
  const auto [N, m, p, seen, targets] = kShape;
  const Index C = seen + targets, k = kWeakModels;
  CHECK(cost_of([&] { at.sweep.factor_gradient(at.A, at.B, at.s); }).flops ==
        2 * N * k * (2 * m + 3 * C));
  CHECK(cost_of([&] { at.sweep.negative_gradient(at.A, at.B, at.s); }).flops ==
        2 * N * (k + p) * (m + C));
  CHECK(cost_of([&] { at.sweep.losses(at.A, at.B); }).flops == 2 * N * k * (m + C));
  CHECK(cost_of([&] { at.sweep.dual(at.A, at.B, at.s, 0.5); }).flops == 2 * N * k * (m + C));
  CHECK(cost_of([&] { at.sweep.curvature(at.A, at.B, at.s); }).flops == 2 * N * k * (m + C));
  CHECK(cost_of([&] { at.sweep.project(at.A); }).flops == 2 * N * m * k);
  CHECK(cost_of([&] { feature_spectrum(at.random.problem.X); }).flops == 2 * N * m * m);
  const Matrix Z = random_matrix(C, k, 13);
  const auto P = at.sweep.project(at.A);
  CHECK(cost_of([&] { at.sweep.weight_gradient(P, Z, Vector::Ones(k), at.s); }).flops ==
        4 * N * k * C);
}

TEST_CASE("bytes of features are counted as they are stored, whatever a pass computes in") {
  const Point at;
  const Sweep<double> exact(at.random.problem, 0.5);
  const Index bytes = kShape.N * kShape.m * 4;
  CHECK(cost_of([&] { at.sweep.losses(at.A, at.B); }).feature_bytes == bytes);
  CHECK(cost_of([&] { exact.losses(at.A, at.B); }).feature_bytes == bytes);
}

TEST_CASE("any number of threads tallies the same flops and bytes") {
  const Point at;
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const Counters one = cost_of([&] { at.sweep.factor_gradient(at.A, at.B, at.s); });
  omp_set_num_threads(2);
  const Counters two = cost_of([&] { at.sweep.factor_gradient(at.A, at.B, at.s); });
  omp_set_num_threads(before);
  CHECK(one.flops == two.flops);
  CHECK(one.feature_bytes == two.feature_bytes);
}

TEST_CASE("what a thread did is not forgotten when it ends") {
  const Point at;
  const Counters cost = cost_of([&] { std::thread([&] { at.sweep.losses(at.A, at.B); }).join(); });
  CHECK(cost.feature_bytes == kShape.N * kShape.m * 4);
}

TEST_CASE("time passes in products, in losses and in the pass") {
  const Point at;
  const Counters cost = cost_of([&] { at.sweep.factor_gradient(at.A, at.B, at.s); });
  CHECK(cost.product_seconds > 0);
  CHECK(cost.loss_seconds > 0);
  CHECK(cost.pass_seconds > 0);
  CHECK(cost.pass_thread_seconds >= cost.product_seconds + cost.loss_seconds);
}

}  // namespace
}  // namespace bzscr
