#include "core/lbfgs.h"

#include "decompositions.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bzscr {
namespace {

using test::random_matrix;

double rosenbrock(const Vector& x, Vector& g) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  g.resize(2);
  g << -2 * a - 400 * x[0] * b, 200 * b;
  return a * a + 100 * b * b;
}

Differentiable quadratic(const Vector& curvatures) {
  return [curvatures](const Vector& x, Vector& g) {
    g = curvatures.cwiseProduct(x);
    return 0.5 * g.dot(x);
  };
}

Vector rosenbrock_start() { return (Vector(2) << -1.2, 1).finished(); }

TEST_CASE("the minimum of the Rosenbrock function is found") {
  LbfgsOptions options;
  options.tolerance = 1e-9;
  Vector x = rosenbrock_start();
  const LbfgsResult result = minimise(rosenbrock, x, options);
  CHECK(x[0] == doctest::Approx(1).epsilon(1e-7));
  CHECK(x[1] == doctest::Approx(1).epsilon(1e-7));
  CHECK(result.value < 1e-16);
  CHECK(result.evaluations < 100);
}

TEST_CASE("an ill-conditioned quadratic is minimised to the requested tolerance") {
  Vector curvatures(60);
  for (Index j = 0; j < 60; ++j) curvatures[j] = std::pow(10, 4 * static_cast<double>(j) / 59);
  const Differentiable f = quadratic(curvatures);
  for (const double tolerance : {1e-2, 1e-5, 1e-8}) {
    LbfgsOptions options;
    options.tolerance = tolerance;
    options.max_evaluations = 5000;
    Vector x = Vector::Ones(60), g;
    const LbfgsResult result = minimise(f, x, options);
    f(x, g);
    CHECK(g.norm() <= tolerance);
    CHECK(result.evaluations < 5000);
  }
}

TEST_CASE(
    "a quadratic with given curvatures is minimised in one step, or in three if their common scale "
    "is unknown") {
  Vector curvatures(60);
  for (Index j = 0; j < 60; ++j) curvatures[j] = std::pow(10, 6 * static_cast<double>(j) / 59);
  for (const double scale : {1.0, 0.01, 100.0}) {
    LbfgsOptions options;
    options.tolerance = 1e-8;
    options.curvature = scale * curvatures;
    Vector x = Vector::Ones(60);
    const LbfgsResult result = minimise(quadratic(curvatures), x, options);
    CHECK(x.cwiseAbs().maxCoeff() < 1e-8);
    CHECK(result.iterations <= (scale == 1 ? 1 : 3));
  }
}

/// Runs with every limit up to `most`: all start alike, so their values are those of one run on its
/// way.
template <class Minimise>
void check_descent(const Differentiable& f, const Vector& start, Index most, Minimise run) {
  Vector g;
  double before = std::numeric_limits<double>::infinity();
  for (Index limit = 1; limit <= most; ++limit) {
    CAPTURE(limit);
    Index calls = 0;
    const Differentiable counted = [&](const Vector& at, Vector& slope) {
      return ++calls, f(at, slope);
    };
    LbfgsOptions options;
    options.max_evaluations = limit;
    options.tolerance = 0;
    Vector x = start;
    const LbfgsResult result = run(counted, x, options);
    CHECK(calls == result.evaluations);
    CHECK(result.evaluations <= limit);
    CHECK(result.value == f(x, g));
    CHECK(result.value <= before);
    before = result.value;
  }
}

TEST_CASE(
    "f never increases, the returned value is that at x, and the limit of evaluations is "
    "respected") {
  const auto run = [](const Differentiable& f, Vector& x, const LbfgsOptions& o) {
    return minimise(f, x, o);
  };
  check_descent(rosenbrock, rosenbrock_start(), 80, run);
  check_descent(quadratic(Vector::LinSpaced(20, 0.01, 1000)), Vector::Ones(20), 60, run);
  const auto nonnegative = [](const Differentiable& f, Vector& x, const LbfgsOptions& o) {
    return minimise_nonnegative(f, x, o);
  };
  check_descent(rosenbrock, Vector::Constant(2, 3), 80, nonnegative);
  check_descent(quadratic(Vector::LinSpaced(20, 0.01, 1000)), Vector::Ones(20), 60, nonnegative);
}

TEST_CASE("the line search steps back from regions where f is NaN or infinite") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (const double outside : {nan, infinity, -infinity}) {
    CAPTURE(outside);
    // x - ln x, at its lowest at 1, and nothing outside (0, 3): steps from 2.9 along -g leave it.
    const Differentiable f = [&](const Vector& x, Vector& g) {
      g = Vector::Constant(1, x[0] > 0 && x[0] < 3 ? 1e3 * (1 - 1 / x[0]) : nan);
      return x[0] > 0 && x[0] < 3 ? 1e3 * (x[0] - std::log(x[0])) : outside;
    };
    for (const double start : {1e-3, 0.5, 2.9}) {
      CAPTURE(start);
      LbfgsOptions options;
      Vector x = Vector::Constant(1, start);
      minimise(f, x, options);
      CHECK(x[0] == doctest::Approx(1).epsilon(1e-6));
      Vector y = Vector::Constant(1, start);
      minimise_nonnegative(f, y, options);
      CHECK(y[0] == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("a start at the minimum takes one evaluation and is returned unchanged") {
  LbfgsOptions options;
  Vector x = Vector::Zero(5);
  const LbfgsResult result = minimise(quadratic(Vector::Ones(5)), x, options);
  CHECK(result.evaluations == 1);
  CHECK(x == Vector::Zero(5));
}

TEST_CASE("the tolerance is not checked before min_iterations, and stop ends the run") {
  LbfgsOptions options;
  options.tolerance = 1e9;
  Vector x = rosenbrock_start();
  CHECK(minimise(rosenbrock, x, options).iterations == 0);
  options.min_iterations = 5;
  CHECK(minimise(rosenbrock, x, options).iterations == 5);

  options.tolerance = 0;
  x = rosenbrock_start();
  Index asked = 0;
  const LbfgsResult stopped = minimise(rosenbrock, x, options, [&](double gradient) {
    Vector g;
    rosenbrock(x, g);
    CHECK(gradient == g.norm());
    return ++asked == 3;
  });
  CHECK(stopped.iterations == 3);
}

TEST_CASE(
    "the memory gives the Newton step of a quadratic whose directions it holds, and drops pairs of "
    "negative curvature") {
  const Matrix R = random_matrix(4, 4, 2);
  const Matrix H = R.transpose() * R + Matrix::Identity(4, 4);
  const Vector g = random_matrix(4, 1, 3).col(0);
  LbfgsMemory memory(4);
  CHECK(memory.empty());
  CHECK(memory.direction(g) == -g);
  // Conjugate steps: then the quasi-Newton matrix is the inverse itself.
  const Matrix vectors = test::plain_eigenpairs(H).vectors;
  for (Index j = 0; j < 4; ++j) memory.push(vectors.col(j), H * vectors.col(j));
  CHECK((memory.direction(g) + test::solve(H, g)).norm() < 1e-10);
  memory.push(g, -g);
  CHECK((memory.direction(g) + test::solve(H, g)).norm() < 1e-10);
  memory.clear();
  CHECK(memory.empty());
}

/// The inverse Hessian of the last `memory` pairs as a dense matrix: BFGS's update formula, applied
/// to each pair in turn.
Matrix dense_inverse(const std::vector<LbfgsPair>& pairs, std::size_t memory, const Vector& start) {
  const auto first = pairs.size() - std::min(memory, pairs.size());
  const LbfgsPair& last = pairs.back();
  const Matrix D = start.asDiagonal();
  Matrix H = last.step.dot(last.change) / last.change.dot(D * last.change) * D;
  for (std::size_t j = first; j < pairs.size(); ++j) {
    const Vector &step = pairs[j].step, &change = pairs[j].change;
    const double rho = 1 / step.dot(change);
    const Matrix I = Matrix::Identity(H.rows(), H.cols());
    H = ((I - rho * step * change.transpose()) * H * (I - rho * change * step.transpose()) +
         rho * step * step.transpose())
            .eval();
  }
  return H;
}

TEST_CASE("the direction is that of the dense BFGS formula over the newest pairs") {
  const Matrix R = random_matrix(6, 6, 2);
  const Matrix hessian = R.transpose() * R + Matrix::Identity(6, 6);
  const Vector g = random_matrix(6, 1, 3).col(0), known = Vector::LinSpaced(6, 0.5, 3);
  for (const bool scaled : {false, true}) {
    CAPTURE(scaled);
    LbfgsMemory memory(3, scaled ? known : Vector());
    std::vector<LbfgsPair> pairs;
    for (unsigned j = 0; j < 7; ++j) {
      CAPTURE(j);
      const Vector step = random_matrix(6, 1, 10 + j).col(0), change = hessian * step;
      memory.push(step, change);
      pairs.push_back({step, change, 0, 0});
      const Matrix H = dense_inverse(pairs, 3, scaled ? known : Vector(Vector::Ones(6)));
      CHECK((memory.direction(g) + H * g).norm() <= 1e-10 * g.norm());
    }
  }
}

TEST_CASE("fixed entries of the direction are zero") {
  LbfgsMemory memory(3);
  memory.push(random_matrix(5, 1, 1).col(0), random_matrix(5, 1, 1).col(0) * 2);
  memory.push(Vector::Ones(5), Vector::LinSpaced(5, 1, 2));
  const Vector free = (Vector(5) << 1, 0, 1, 0, 1).finished();
  const Vector direction = memory.direction(Vector::Ones(5), free);
  CHECK(direction[1] == 0);
  CHECK(direction[3] == 0);
  CHECK(direction.dot(free) < 0);
}

TEST_CASE("a pair without positive curvature on the free entries is ignored") {
  LbfgsMemory memory(3);
  memory.push((Vector(2) << 1, 1).finished(), (Vector(2) << 2, -0.5).finished());
  const Vector g = (Vector(2) << 3, 4).finished(), free = (Vector(2) << 0, 1).finished();
  CHECK(memory.direction(g, free) == (Vector(2) << 0, -4).finished());
}

/// min 1/2 |A x - b|^2 + c^T x over x >= 0, by trying every set of entries that may be positive.
Vector answer_by_active_sets(const Matrix& A, const Vector& b, const Vector& c) {
  const Index n = A.cols();
  const Matrix H = A.transpose() * A;
  const Vector h = A.transpose() * b - c;
  for (unsigned set = 0; set < 1u << n; ++set) {
    std::vector<Index> in;
    for (Index j = 0; j < n; ++j)
      if (set >> j & 1) in.push_back(j);
    Vector x = Vector::Zero(n);
    if (!in.empty()) {
      const Vector positive = test::solve(H(in, in), h(in));
      x(in) = positive;
    }
    const Vector slope = H * x - h;
    if (x.minCoeff() < 0) continue;
    bool optimal = true;
    for (Index j = 0; j < n; ++j) optimal = optimal && (set >> j & 1 || slope[j] >= -1e-12);
    if (optimal) return x;
  }
  FAIL("no set of entries is optimal");
  return {};
}

TEST_CASE(
    "under x >= 0 the minimum is that of an enumeration of active sets, and satisfies the "
    "optimality conditions") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const Index n = 2 + static_cast<Index>(seed) % 7;
    const Matrix A = random_matrix(n + 3, n, seed);
    const Vector b = random_matrix(n + 3, 1, seed + 100).col(0),
                 c = random_matrix(n, 1, seed + 200, 0.5).col(0);
    const Differentiable f = [&](const Vector& x, Vector& g) {
      const Vector rest = A * x - b;
      g = A.transpose() * rest + c;
      return 0.5 * rest.squaredNorm() + c.dot(x);
    };
    LbfgsOptions options;
    options.tolerance = 1e-9;
    options.max_evaluations = 2000;
    Vector x = seed % 2 ? Vector(Vector::Ones(n)) : Vector(Vector::Zero(n)), g;
    minimise_nonnegative(f, x, options);
    f(x, g);
    CHECK(x.minCoeff() >= 0);
    CHECK(g.minCoeff() >= -1e-5);
    for (Index j = 0; j < n; ++j)
      if (x[j] > 0) CHECK(std::fabs(g[j]) < 1e-5);
    CHECK((x - answer_by_active_sets(A, b, c)).cwiseAbs().maxCoeff() < 1e-5);
  }
}

TEST_CASE("a start outside x >= 0 is projected first") {
  LbfgsOptions options;
  Vector x = Vector::Constant(3, -2);
  minimise_nonnegative(quadratic(Vector::Ones(3)), x, options);
  CHECK(x == Vector::Zero(3));
}

}  // namespace
}  // namespace bzscr
