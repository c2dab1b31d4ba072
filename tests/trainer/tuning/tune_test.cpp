#include "tuning/tune.h"

#include "geometry/divergence.h"
#include "solver/validation_error.h"
#include "trainer/core/random_problem.h"
#include "trainer/geometry/memory_dataset.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace bzscr {
namespace {

using test::MemoryDataset;

struct Listener : TuningObserver {
  void grid_point(const GridPoint& point, Index done, Index at_most) override {
    points.push_back(point);
    CHECK(done >= static_cast<Index>(points.size()));
    CHECK(done <= at_most);
  }
  bool stop_requested() const override { return points.size() >= stop_after; }
  std::vector<GridPoint> points;
  std::size_t stop_after = 1000000;
};

/// Far from the optimum is near enough here.
TuningConfig quick() {
  TuningConfig config;
  config.boost.gap = 0.03;
  config.boost.initial_share = 0.8;
  return config;
}

/// Unseen: 9, 10 and 11, a quarter of the samples.
struct Example : MemoryDataset {
  explicit Example(float noise = 0)
      : MemoryDataset(120, 6, 5, 12, {9, 10, 11}), Delta(cosine_divergence(data.embeddings)) {
    features += noise * test::random_matrix(120, 6, 77).cast<float>();
    data.partition.held_out = {0, 1, 100};
    measure();
  }
  Tuned tuned(const TuningConfig& config = quick()) const {
    Listener listener;
    return tune(data, data.partition, Delta, config, listener);
  }
  Matrix Delta;
};

bool same(const GridPoint& a, const GridPoint& b) {
  return a.nu == b.nu && a.beta == b.beta && a.validation_error == b.validation_error &&
         a.weak_models == b.weak_models && a.evaluations == b.evaluations;
}

void check_same(const Tuned& a, const Tuned& b) {
  CHECK(same(a.best, b.best));
  REQUIRE(a.tried.size() == b.tried.size());
  for (std::size_t i = 0; i < a.tried.size(); ++i) CHECK(same(a.tried[i], b.tried[i]));
  CHECK(a.trained.ensemble.U == b.trained.ensemble.U);
  CHECK(a.trained.ensemble.V == b.trained.ensemble.V);
  CHECK(a.trained.ensemble.w == b.trained.ensemble.w);
  CHECK(a.split.classes.targets == b.split.classes.targets);
}

TEST_CASE("the choice does not depend on unseen classes or on held-out samples") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool named : {true, false}) {
    CAPTURE(named);
    Example clean(1), poisoned(1);
    for (Index i = 0; i < 120; ++i) {
      const bool unseen = i % 12 >= 9, kept = i == 0 || i == 1 || i == 100;
      if (!unseen && !kept) continue;
      poisoned.features.row(i).setConstant(std::numeric_limits<float>::quiet_NaN());
      poisoned.data.feature_norms[i] = nan;
    }
    for (const Index c : {9, 10, 11}) {
      poisoned.data.embeddings.row(c).setConstant(nan);
      poisoned.Delta.row(c).setConstant(nan);
      poisoned.Delta.col(c).setConstant(nan);
    }
    if (named)
      clean.data.partition.validation_folds =
          poisoned.data.partition.validation_folds = {{2, 4, 7}};
    const Tuned tuned = poisoned.tuned();
    check_same(tuned, clean.tuned());
    CHECK(tuned.trained.ensemble.w.allFinite());
    CHECK(tuned.best.validation_error < 1);
  }
}

TEST_CASE(
    "the point with the lowest error is chosen, and of equal ones that with the larger nu, then "
    "the smaller beta") {
  for (const float noise : {0.0f, 1.0f, 3.0f}) {
    CAPTURE(noise);
    const Tuned tuned = Example(noise).tuned();
    Index ties = 0;
    for (const GridPoint& point : tuned.tried) {
      if (same(point, tuned.best)) continue;
      ties += point.validation_error == tuned.best.validation_error;
      const bool worse = point.validation_error > tuned.best.validation_error ||
                         (point.validation_error == tuned.best.validation_error &&
                          (point.nu < tuned.best.nu ||
                           (point.nu == tuned.best.nu && point.beta > tuned.best.beta)));
      CHECK(worse);
    }
    if (noise == 0) CHECK(ties > 0);  // so that the rule was put to use
  }
}

TEST_CASE(
    "for each beta nu decreases by half decades until the error has exceeded its minimum at two "
    "consecutive points") {
  const Tuned tuned = Example(3).tuned();
  std::map<double, std::vector<GridPoint>> paths;
  for (const GridPoint& point : tuned.tried) paths[point.beta].push_back(point);
  std::set<double> betas;
  for (const auto& [beta, path] : paths) {
    betas.insert(beta);
    CHECK(path[0].nu == tuned.tried[0].nu);
    double lowest = 2;
    Index above = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const double power = std::pow(10, std::floor(std::log10(path[i].nu) + 1e-9));
      CHECK((std::fabs(path[i].nu / power - 1) < 1e-9 || std::fabs(path[i].nu / power - 3) < 1e-9));
      if (i > 0) {
        CHECK(path[i].nu < path[i - 1].nu);
        CHECK(path[i].nu > path[i - 1].nu / 3.4);
      }
      CHECK(above < 2);
      above = path[i].validation_error > lowest ? above + 1 : 0;
      lowest = std::min(lowest, path[i].validation_error);
    }
    CHECK((above == 2 || path.size() == 10));
  }
  const std::vector<double> grid = beta_grid();
  CHECK(betas == std::set<double>(grid.begin(), grid.end()));
}

TEST_CASE("the first nu of a path gives a weak model, and three times that nu or more gives none") {
  const Example example;
  const Tuned tuned = example.tuned();
  CHECK(tuned.tried.front().weak_models >= 1);
  TuningConfig above = quick();
  above.nu = 4 * tuned.tried.front().nu;
  for (const GridPoint& point : example.tuned(above).tried) {
    CHECK(point.weak_models == 0);
    CHECK(point.validation_error == 1);
  }
}

TEST_CASE("a given hyper-parameter is not chosen") {
  const Example example;
  TuningConfig config = quick();
  config.nu = 0.02;
  for (const GridPoint& point : example.tuned(config).tried) CHECK(point.nu == 0.02);
  config.beta = 0.25;
  const Tuned both = example.tuned(config);
  REQUIRE(both.tried.size() == 1);
  CHECK(both.tried[0].beta == 0.25);
  config.nu.reset();
  for (const GridPoint& point : example.tuned(config).tried) CHECK(point.beta == 0.25);
}

TEST_CASE(
    "the error of a point is that of its model on the held-out classes, averaged over the folds") {
  const Example example(1);
  TuningConfig config = quick();
  config.nu = 0.01;
  config.beta = 0.1;
  config.folds = 3;
  config.boost.gap = 1e-6;  // the tuning's own, 0.5%, is wider
  const std::vector<ClassSplit> splits =
      validation_splits(example.data, example.data.partition, 3, config.seed);
  REQUIRE(splits.size() == 3);
  Observer silent;
  const auto mean_error = [&](double gap) {
    double mean = 0;
    for (const ClassSplit& classes : splits) {
      const SplitProblem split = split_problem(example.data, example.data.partition, example.Delta,
                                               classes, config.scalings);
      BoostConfig boost = config.boost;
      boost.nu = 0.01;
      boost.beta = 0.1;
      boost.gap = gap;
      const Trained trained = boost_refined(split.problem, feature_spectrum(split.problem.X), boost,
                                            fresh_start(split.problem, boost), silent);
      CHECK(trained.certificate.relative_gap() <= gap);
      mean += validation_error(unseen_evaluation_set(example.data, example.data.partition, split),
                               trained.ensemble) /
              3;
    }
    return mean;
  };
  const double chosen = example.tuned(config).best.validation_error;
  // The same solver to the same gap: nothing is left to differ.
  CHECK(chosen == doctest::Approx(mean_error(5e-3)).epsilon(1e-12));
  // Closer to the optimum, which is unique, scores hardly move: of ten samples of a class, one at
  // most may change sides in one of the folds of two classes.
  CHECK(std::fabs(chosen - mean_error(1e-6)) <= 1.0 / 10 / 2 / 3 + 1e-12);

  config.folds = 1;
  const Tuned one = example.tuned(config);
  CHECK(validation_error(unseen_evaluation_set(example.data, example.data.partition, one.split),
                         one.trained.ensemble) == one.best.validation_error);
}

TEST_CASE("the choice is the same for any number of threads, and in a second run") {
  const Example example(1);
  TuningConfig config = quick();
  config.execution.threads = 1;
  const Tuned expected = example.tuned(config);
  for (const int threads : {1, 2, 3, 5}) {
    config.execution.threads = threads;
    check_same(example.tuned(config), expected);
  }
}

TEST_CASE("interrupted tuning reports the interruption and keeps its points") {
  const Example example(1);
  TuningConfig config = quick();
  config.beta = 0.1;  // one path, of at least three points, which come in order
  for (const std::size_t after : {0, 1, 2}) {
    Listener listener;
    listener.stop_after = after;
    const Tuned tuned = tune(example.data, example.data.partition, example.Delta, config, listener);
    CHECK(tuned.interrupted);
    CHECK(tuned.tried.size() == after);
    if (after > 0) CHECK(tuned.trained.ensemble.w.size() == tuned.best.weak_models);
  }
  CHECK_FALSE(example.tuned(config).interrupted);
}

}  // namespace
}  // namespace bzscr
