// SJE, ALE and DeViSE against their update rules as plain loops in double, on the same draws.
#include "plain_loops.h"
#include "trainer/core/random_problem.h"

#include "baselines/ale.h"
#include "baselines/devise.h"
#include "baselines/sje.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace bzscr::test {
namespace {

using Method = Matrix (*)(const Problem&, const SgdConfig&, const AfterEpoch&);

struct Plain {
  Matrix last, mean;
};

/// The class that sample i of class y is held against, or -1, and the factor of the step.
struct Choice {
  Index r = -1;
  double factor = 1;
};
using Rule = Choice (*)(const Problem&, const Vector& F, Index y, std::mt19937_64& random,
                        std::vector<Index>& memory);

Choice sje_rule(const Problem& problem, const Vector& F, Index y, std::mt19937_64&,
                std::vector<Index>&) {
  Index best = y;
  for (Index r = 0; r < problem.seen; ++r)
    if (problem.Delta(y, r) + F[r] > problem.Delta(y, best) + F[best]) best = r;
  return {best == y ? -1 : best, 1};
}

Choice ale_rule(const Problem& problem, const Vector& F, Index y, std::mt19937_64& random,
                std::vector<Index>&) {
  const Index C = problem.seen;
  for (Index k = 1; k <= C - 1; ++k) {
    Index r = static_cast<Index>(random() % static_cast<unsigned>(C - 1));
    if (r >= y) ++r;
    if (!(problem.Delta(y, r) + F[r] > F[y])) continue;
    double beta = 0;
    for (Index j = 1;
         j <= static_cast<Index>(std::floor(static_cast<double>(C - 1) / static_cast<double>(k)));
         ++j)
      beta += 1.0 / static_cast<double>(j);
    return {r, beta};
  }
  return {};
}

Choice devise_rule(const Problem& problem, const Vector& F, Index y, std::mt19937_64& random,
                   std::vector<Index>& classes) {
  if (classes.empty())
    for (Index r = 0; r < problem.seen; ++r) classes.push_back(r);
  for (std::size_t left = classes.size(); left > 0; --left) {
    std::swap(classes[left - 1], classes[random() % left]);
    const Index r = classes[left - 1];
    if (r != y && 0.1 - F[y] + F[r] > 0) return {r, 1};
  }
  return {};
}

Plain plain_descent(const Problem& problem, const SgdConfig& config, Rule rule) {
  const Matrix X = plain_features(problem.X);
  Plain plain{Matrix::Zero(X.cols(), problem.Phi.cols()),
              Matrix::Zero(X.cols(), problem.Phi.cols())};
  std::mt19937_64 random(config.seed);
  std::vector<Index> order(static_cast<std::size_t>(X.rows())), memory;
  std::iota(order.begin(), order.end(), Index{0});
  for (Index epoch = 0; epoch < config.epochs; ++epoch) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const Index i : order) {
      const Index y = problem.y[static_cast<std::size_t>(i)];
      const Vector F =
          problem.Phi.topRows(problem.seen) * (plain.last.transpose() * X.row(i).transpose());
      const Choice choice = rule(problem, F, y, random, memory);
      if (choice.r >= 0)
        plain.last += config.rate * choice.factor * X.row(i).transpose() *
                      (problem.Phi.row(y) - problem.Phi.row(choice.r));
      plain.mean += plain.last;
    }
  }
  plain.mean /= static_cast<double>(config.epochs * X.rows());
  return plain;
}

const struct {
  const char* name;
  Method method;
  Rule rule;
} kMethods[] = {{"sje", sje, sje_rule}, {"ale", ale, ale_rule}, {"devise", devise, devise_rule}};

TEST_CASE(
    "each method updates W by the rule of its paper at every iterate, and averages the iterates") {
  // Short runs: in single precision a near tie may one day fall the other way, and paths part for
  // good.
  for (const Shape& shape : {Shape{1, 1, 1, 2, 0},
                             {7, 3, 4, 3, 1},
                             {40, 6, 5, 17, 3},
                             {90, 33, 17, 5, 2},
                             {60, 20, 65, 70, 2}})
    for (const auto& each : kMethods) {
      CAPTURE(each.name);
      CAPTURE(shape.p);
      const RandomProblem random(shape);
      SgdConfig config{0.05, 3, false, 11};
      const Plain plain = plain_descent(random.problem, config, each.rule);
      const double size = plain.last.cwiseAbs().maxCoeff();
      CHECK((each.method(random.problem, config, nullptr) - plain.last).cwiseAbs().maxCoeff() <=
            1e-4 * size);
      config.average = true;
      CHECK((each.method(random.problem, config, nullptr) - plain.mean).cwiseAbs().maxCoeff() <=
            1e-4 * size);
    }
}

TEST_CASE("averages over more iterates than one run of single-precision sums are correct") {
  const RandomProblem random({1100, 5, 4, 6, 2});
  SgdConfig config{0.01, 9, true, 3};  // 9900 iterates
  const Plain plain = plain_descent(random.problem, config, devise_rule);
  const Matrix W = devise(random.problem, config);
  CHECK((W - plain.mean).norm() <= 0.02 * plain.mean.norm());
}

TEST_CASE(
    "a longer run passes through the results of shorter runs, and ends when the callback returns "
    "true") {
  const RandomProblem random({90, 6, 5, 7, 2});
  for (const auto& each : kMethods)
    for (const bool average : {false, true}) {
      CAPTURE(each.name);
      CAPTURE(average);
      Index epochs = 0;
      const Matrix stopped = each.method(
          random.problem, {0.1, 50, average, 5},
          [&](Index epoch, const std::function<Matrix()>& W) {
            ++epochs;
            CHECK(epoch == epochs);
            if (epoch == 2)
              CHECK((W() - each.method(random.problem, {0.1, 2, average, 5}, nullptr)).isZero(0));
            return epoch == 4;
          });
      CHECK(epochs == 4);
      // Sums are split into runs where somebody looks: equal but for rounding.
      CHECK((stopped - each.method(random.problem, {0.1, 4, average, 5}, nullptr)).norm() <=
            1e-6 * stopped.norm());
    }
}

TEST_CASE(
    "a shift of the embeddings does not change W, and classes without samples only appear as "
    "competing classes") {
  const RandomProblem random({90, 6, 5, 7, 2});
  Problem moved = random.problem;
  moved.Phi.rowwise() += Vector::LinSpaced(5, -1, 2).transpose();
  const Matrix W = sje(random.problem, {0.02, 2, false, 5}),
               W_moved = sje(moved, {0.02, 2, false, 5});
  CHECK((W - W_moved).norm() <= 1e-4 * W.norm());
}

TEST_CASE("with twice the Delta and twice the rate, SJE and ALE learn twice the W") {
  const RandomProblem random({60, 6, 5, 7, 2});
  Problem wider = random.problem;
  wider.Delta *= 2;
  for (const Method method : {sje, ale}) {
    const Matrix W = method(random.problem, {0.25, 2, false, 5}, nullptr);
    CHECK((method(wider, {0.5, 2, false, 5}, nullptr) - 2 * W).norm() <= 1e-6 * W.norm());
  }
}

TEST_CASE("the result depends on the seed, and two runs with the same seed are equal") {
  const RandomProblem random({60, 6, 5, 7, 2});
  for (const auto& each : kMethods) {
    CAPTURE(each.name);
    const Matrix W = each.method(random.problem, {0.1, 2, false, 5}, nullptr);
    CHECK((W - each.method(random.problem, {0.1, 2, false, 5}, nullptr)).isZero(0));
    CHECK_FALSE((W - each.method(random.problem, {0.1, 2, false, 6}, nullptr)).isZero(1e-6));
  }
}

}  // namespace
}  // namespace bzscr::test
