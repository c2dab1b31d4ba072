#include "golden.h"
#include "solver/boost.h"

#include <doctest/doctest.h>

using namespace bzscr;

namespace {

struct Recorder : Observer {
  std::vector<Iteration> iterations;
  void iteration(const Iteration& one, const Ensemble&) override { iterations.push_back(one); }
};

BoostConfig config_of(const test::GoldenCase& one) {
  BoostConfig config;
  config.nu = one.nu_per_sample;
  config.beta = one.beta;
  config.select_samples = false;
  return config;
}

template <class Check>
void each_case(Check check) {
  for (const std::string name : {"toy", "caltech600"}) {
    const test::GoldenProblem golden = test::read_golden(name);
    for (const test::GoldenCase& one : golden.cases) {
      CAPTURE(name);
      CAPTURE(one.nu_per_sample);
      CAPTURE(one.beta);
      check(golden, one);
    }
  }
}

}  // namespace

TEST_CASE(
    "refinement reaches the optimum of every golden problem, and its certificate covers the true "
    "gap") {
  each_case([](const test::GoldenProblem& golden, const test::GoldenCase& one) {
    BoostConfig config = config_of(one);
    config.gap = 9e-7;
    RefinedState start = fresh_start(golden.problem, config);
    start.s = golden.s(one);
    Recorder recorder;
    const Trained trained =
        boost_refined(golden.problem, feature_spectrum(golden.problem.X), config, start, recorder);

    CHECK(trained.certificate.objective == doctest::Approx(one.optimum).epsilon(1e-6));
    CHECK(trained.certificate.relative_gap() < 1e-5);
    for (const Iteration& at : recorder.iterations) {
      const double true_gap = (at.objective - one.optimum) /
                              at.objective;  // the optimum itself is known to its own gap
      CHECK(at.relative_gap >= true_gap - 1e-12);
      CHECK(at.lower_bound <= one.optimum * (1 + 1e-12));
    }
  });
}

TEST_CASE("the printed algorithm follows every golden trace") {
  each_case([](const test::GoldenProblem& golden, const test::GoldenCase& one) {
    BoostConfig config = config_of(one);
    config.max_iterations = static_cast<Index>(one.paper_trace.size());
    Recorder recorder;
    boost(golden.problem, nullptr, config, printed_start(golden.problem, golden.s(one)), recorder);

    REQUIRE(recorder.iterations.size() == one.paper_trace.size());
    for (std::size_t t = 0; t < one.paper_trace.size(); ++t) {
      CAPTURE(t);
      CHECK(recorder.iterations[t].violation ==
            doctest::Approx(one.paper_trace[t].violation).epsilon(1e-4));
      CHECK(recorder.iterations[t].objective ==
            doctest::Approx(one.paper_trace[t].objective).epsilon(1e-4));
      CHECK(recorder.iterations[t].weak_models == one.paper_trace[t].active);
      CHECK(recorder.iterations[t].lower_bound <= one.optimum * (1 + 1e-6));
    }
  });
}

// Selection of samples can make the empty model optimal for a while; what is left of the weights
// must not be the scale of what is tried next.
TEST_CASE("a start with weights near zero reaches the optimum") {
  const test::GoldenProblem golden = test::read_golden("toy");
  const test::GoldenCase& one = golden.cases.front();
  RefinedState start = fresh_start(golden.problem, config_of(one));
  start.ensemble = {Matrix::Identity(golden.problem.X.dimension(), 1),
                    Matrix::Identity(golden.problem.Phi.cols(), 1), Vector::Constant(1, 1e-25)};
  Observer silent;
  const Trained trained = boost_refined(golden.problem, feature_spectrum(golden.problem.X),
                                        config_of(one), start, silent);
  CHECK(trained.certificate.objective == doctest::Approx(one.optimum).epsilon(1e-3));
  CHECK(trained.ending == Ending::kConverged);
  CHECK(trained.iterations < 20);
}
