#include "plain_loops.h"
#include "trainer/core/random_problem.h"

#include "baselines/bilinear.h"
#include "baselines/cca.h"
#include "baselines/methods.h"

#include <doctest/doctest.h>

#include <map>

namespace bzscr::test {
namespace {

std::map<std::size_t, MatrixF> learned_scores(Baseline id, const Problem& problem,
                                              const std::vector<std::vector<double>>& values) {
  std::map<std::size_t, MatrixF> all;
  BaselineConfig config;
  CHECK(learn(id, problem, values, config, [&](std::size_t setting, const BaselineModel& model) {
    CHECK(all.count(setting) == 0);
    all[setting] = scores(model, problem.X, problem.Phi);
  }));
  return all;
}

TEST_CASE(
    "each combination of values is trained once, with the result of a single training, for any "
    "number of threads") {
  RandomProblem random({90, 6, 5, 7, 2});
  for (const BaselineMethod& method : baseline_methods()) {
    CAPTURE(method.word);
    std::vector<std::vector<double>> values;
    for (const HyperParameter& parameter : method.parameters)
      values.push_back(parameter.name == "epochs" ? std::vector<double>{1, 3}
                                                  : std::vector<double>{1, 0.1, 0.01});
    random.problem.X.execution.threads = 3;
    const auto all = learned_scores(method.id, random.problem, values);
    random.problem.X.execution.threads = 1;
    std::size_t setting = 0;
    for (const double first : values[0])
      for (const double second : values.size() > 1 ? values[1] : std::vector<double>{0}) {
        std::vector<std::vector<double>> one = {{first}, {second}};
        one.resize(values.size());
        CHECK((all.at(setting) - learned_scores(method.id, random.problem, one).at(0)).isZero(0));
        ++setting;
      }
    CHECK(all.size() == setting);
  }
}

TEST_CASE(
    "the methods are listed in the order of the enumeration, with grids of values and ascending "
    "epochs") {
  for (std::size_t i = 0; i < baseline_methods().size(); ++i) {
    const BaselineMethod& method = baseline_methods()[i];
    CHECK(static_cast<std::size_t>(method.id) == i);
    for (const HyperParameter& parameter : method.parameters) {
      CHECK(parameter.grid.size() > 1);
      if (parameter.name == "epochs")
        CHECK(std::is_sorted(parameter.grid.begin(), parameter.grid.end()));
    }
  }
}

TEST_CASE(
    "CCA with cosines divides by the length of the class, and a class with a zero projection has "
    "score zero") {
  const RandomProblem random({90, 6, 5, 7, 2});
  Problem problem = random.problem;
  problem.Phi.row(8).setZero();
  const CanonicalPairs pairs = cca(moments(problem), problem, 0.1, 0.1);
  const auto bilinear_scores = learned_scores(Baseline::kCca, problem, {{0.1}, {0.1}}).at(0);
  const auto cosine_scores = learned_scores(Baseline::kCcaCosine, problem, {{0.1}, {0.1}}).at(0);
  for (Index r = 0; r < 8; ++r) {
    const double length = (problem.Phi.row(r) * class_lengths(pairs)).norm();
    CHECK((cosine_scores.col(r).cast<double>() * length - bilinear_scores.col(r).cast<double>())
              .norm() <= 1e-4);
  }
  CHECK(cosine_scores.col(8).isZero(0));
}

TEST_CASE("a stopped training returns false") {
  RandomProblem random({90, 6, 5, 7, 2});
  for (const BaselineMethod& method : baseline_methods()) {
    CAPTURE(method.word);
    BaselineConfig config;
    config.stop = [] { return true; };
    std::vector<std::vector<double>> values(method.parameters.size(), {5.0});
    CHECK_FALSE(
        learn(method.id, random.problem, values, config, [](std::size_t, const BaselineModel&) {}));
  }
}

}  // namespace
}  // namespace bzscr::test
