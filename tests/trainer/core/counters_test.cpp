#include "core/counters.h"

#include "core/curvature.h"
#include "core/sweep.h"
#include "random_problem.h"

#include <doctest/doctest.h>

namespace bzscr {
namespace {

using test::random_matrix;
using test::RandomProblem;

/// Five blocks, the last one short; k, C and m fill no whole vector.
const test::Shape kShape{1100, 7, 4, 31, 5};
constexpr Index kWeakModels = 3;

struct Point {
  explicit Point(int threads = 0) {
    random.problem.X.execution.threads = threads;
    random.problem.X.execution.counters = &counters;
  }
  template <class Pass>
  Counters cost_of(Pass pass) const {
    const Counters before = counters.read();
    pass();
    return counters.read() - before;
  }

  CostCounters counters;
  RandomProblem random{kShape};
  Sweep<float> sweep{random.problem, 0.5};
  Matrix A = random_matrix(kShape.m, kWeakModels, 11), B = random_matrix(kShape.p, kWeakModels, 12);
  Vector s = test::random_sample_weights(kShape.N);
};

TEST_CASE("the flops of a pass are those of its products without padding") {
  const Point at;
  const auto [N, m, p, seen, targets] = kShape;
  const Index C = seen + targets, k = kWeakModels;
  CHECK(at.cost_of([&] { at.sweep.factor_gradient(at.A, at.B, at.s); }).flops ==
        2 * N * k * (2 * m + 3 * C));
  CHECK(at.cost_of([&] { at.sweep.negative_gradient(at.A, at.B, at.s); }).flops ==
        2 * N * (k + p) * (m + C));
  CHECK(at.cost_of([&] { at.sweep.losses(at.A, at.B); }).flops == 2 * N * k * (m + C));
  CHECK(at.cost_of([&] { at.sweep.dual(at.A, at.B, at.s, 0.5); }).flops == 2 * N * k * (m + C));
  CHECK(at.cost_of([&] { at.sweep.curvature(at.A, at.B, at.s); }).flops == 2 * N * k * (m + C));
  CHECK(at.cost_of([&] { at.sweep.project(at.A); }).flops == 2 * N * m * k);
  CHECK(at.cost_of([&] { feature_spectrum(at.random.problem.X); }).flops == 2 * N * m * m);
  const Matrix Z = random_matrix(C, k, 13);
  const auto P = at.sweep.project(at.A);
  CHECK(at.cost_of([&] { at.sweep.weight_gradient(P, Z, Vector::Ones(k), at.s); }).flops ==
        4 * N * k * C);
}

TEST_CASE("feature bytes are counted in the storage type, whatever the precision of the pass") {
  const Point at;
  const Sweep<double> exact(at.random.problem, 0.5);
  const Index bytes = kShape.N * kShape.m * 4;
  CHECK(at.cost_of([&] { at.sweep.losses(at.A, at.B); }).feature_bytes == bytes);
  CHECK(at.cost_of([&] { exact.losses(at.A, at.B); }).feature_bytes == bytes);
}

TEST_CASE("flops and bytes are the same for any number of threads") {
  const auto cost = [](int threads) {
    const Point at(threads);
    return at.cost_of([&] { at.sweep.factor_gradient(at.A, at.B, at.s); });
  };
  CHECK(cost(1).flops == cost(2).flops);
  CHECK(cost(1).feature_bytes == cost(2).feature_bytes);
}

TEST_CASE("a pass without counters counts nothing and gives the same result") {
  const Point counted;
  Point uncounted;
  uncounted.random.problem.X.execution.counters = nullptr;
  CHECK(uncounted.sweep.losses(uncounted.A, uncounted.B) ==
        counted.sweep.losses(counted.A, counted.B));
  CHECK(uncounted.counters.read().feature_bytes == 0);
  CHECK(uncounted.counters.read().pass_seconds == 0);
}

TEST_CASE("product and loss seconds are above zero, and part of the thread seconds of a pass") {
  const Point at;
  const Counters cost = at.cost_of([&] { at.sweep.factor_gradient(at.A, at.B, at.s); });
  CHECK(cost.product_seconds > 0);
  CHECK(cost.loss_seconds > 0);
  CHECK(cost.pass_seconds > 0);
  CHECK(cost.pass_thread_seconds >= cost.product_seconds + cost.loss_seconds);
}

}  // namespace
}  // namespace bzscr
