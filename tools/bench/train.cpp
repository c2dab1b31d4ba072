// bzscr-bench-train: where the time of training on a data set goes, against what the machine can
// do.

#include "bench/machine_speed.h"
#include "bench/training_cost.h"
#include "bench/training_report.h"
#include "core/reducer.h"
#include "core/sweep.h"
#include "geometry/split_problem.h"
#include "pipeline/dataset.h"
#include "solver/config.h"
#include "support/command_line.h"
#include "support/libraries.h"
#include "support/program.h"

#include <fmt/format.h>
#include <bzscr_train/bzscr_train.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using namespace bzscr::bench;

struct Options {
  std::string data, embedding;
  std::optional<double> nu, beta;
  double ridge = kDefaultRidge;
  std::string method = "bzscr", solver = "refine";
  int threads = 0;
  std::int64_t repeats = 5;
  bool json = false;
};

template <class Pass>
Cost median_pass(const std::string& name, std::int64_t repeats, const CostCounters& counters,
                 Pass pass) {
  std::vector<Cost> costs;
  for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
    Measurement measurement(name, counters);
    pass();
    costs.push_back(measurement.end(1));
  }
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::nth_element(costs.begin(), middle, costs.end(),
                   [](const Cost& a, const Cost& b) { return a.seconds < b.seconds; });
  return *middle;
}

/// Passes at factors of the trained model's size; what they cost does not depend on the values.
std::vector<Cost> single_passes(const Problem& problem, double beta, Index weak_models,
                                std::int64_t repeats, const CostCounters& counters) {
  const Sweep<float> sweep(problem, beta);
  const Matrix A = Matrix::Constant(problem.X.dimension(), weak_models, 1e-3);
  const Matrix B = Matrix::Constant(problem.Phi.cols(), weak_models, 1e-3);
  const Vector s = Vector::Ones(problem.samples());
  return {
      median_pass("gradient by factors", repeats, counters,
                  [&] { sweep.factor_gradient(A, B, s); }),
      median_pass("gradient by W", repeats, counters, [&] { sweep.negative_gradient(A, B, s); }),
      median_pass("dual", repeats, counters, [&] { sweep.dual(A, B, s, 1); }),
      median_pass("losses", repeats, counters, [&] { sweep.losses(A, B); })};
}

/// The phases of bzscr-train with its defaults, but without the choice of the penalty.
Report measure(const Options& options) {
  Report report;
  report.data = options.data;
  report.method = options.method;
  report.solver = options.solver;
  CostCounters counters;
  train::Context context;
  context.threads = options.threads;
  context.counters = &counters;
  const Execution execution{options.threads, nullptr, &counters};
  report.threads = thread_count(execution);
  report.peak = measured_peak(report.threads);

  Measurement reading("reading", counters);
  train::ReadOptions read;
  read.embedding = options.embedding;
  const train::Dataset data = train::Dataset::read(options.data, read, context);
  report.phases.push_back(reading.end(0));

  Phases phases(counters, report.phases);
  context.events = &phases;
  train::FitOptions fit;
  fit.method = options.method;
  fit.solver = options.solver;
  fit.nu = options.nu;
  fit.beta = options.beta;
  if (options.solver != "paper") fit.ridge = options.ridge;
  fit.calibration = false;
  const train::Model model = train::fit(data, data.partition(), fit, context);
  for (const auto& [name, value] : model.parameters)
    (name == "nu" ? report.nu : report.beta) = value;

  const Dataset& content = data.content().data;
  const SplitProblem split =
      split_problem(content, content.partition, data.content().divergence.Delta,
                    all_classes(content, content.partition), Scalings(), execution);
  const Problem& problem = split.problem;
  report.passes = single_passes(problem, report.beta, model.weak_models, options.repeats, counters);
  report.embedding = data.embedding();
  report.samples = problem.samples();
  report.features = problem.X.dimension();
  report.seen = problem.seen;
  report.targets = problem.targets();
  report.weak_models = model.weak_models;
  report.relative_gap = model.relative_gap;
  return report;
}

void check(const Options& options) {
  if (options.threads < 0 || options.threads > 1024)
    throw InputError(fmt::format("--threads is {}; expected 0 to 1024", options.threads));
  if (options.repeats < 1)
    throw InputError(fmt::format("--repeats is {}; expected 1 or more", options.repeats));
}

void describe_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string("bzscr-bench-train ") + train::version());
  app.add_option("DATA", options.data, "Data set folder")->required();
  app.add_option("--embedding", options.embedding,
                 "Embedding of the data set; needed where there are several")
      ->type_name("NAME");
  app.add_option("--nu", options.nu,
                 "Regularisation weight of the ensemble (default: chosen, which is a phase too)")
      ->type_name("X");
  app.add_option("--beta", options.beta,
                 "Weight of the semantic correlation term (default: chosen)")
      ->type_name("X");
  app.add_option("--ridge", options.ridge,
                 fmt::format("Of |W|^2 / 2; --solver refine only (default: {:g})", kDefaultRidge))
      ->type_name("X");
  app.add_option("--method", options.method, "bzscr or boosting (default: bzscr)")
      ->check(cli::one_of({"bzscr", "boosting"}))
      ->type_name("WHICH");
  app.add_option("--solver", options.solver, "refine or paper (default: refine)")
      ->check(cli::one_of({"refine", "paper"}))
      ->type_name("WHICH");
  app.add_option("--threads", options.threads, "Threads (default: 0, one per core)")
      ->type_name("N");
  app.add_option("--repeats", options.repeats,
                 "Of each single pass, of which the median is reported (default: 5)")
      ->type_name("N");
  app.add_flag("--json", options.json, "One JSON object instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_program("bzscr-bench-train", argc, argv, [&] {
    Options options;
    CLI::App app(
        "Trains as bzscr-train does, without writing a model, and reports where the time goes: "
        "passes over the samples,\ntheir products and losses, against the matrix products that the "
        "machine was measured at.",
        "bzscr-bench-train");
    describe_options(app, options);
    if (const auto code = cli::parse_command_line(app, argc, argv)) return *code;
    check(options);
    cli::prepare_libraries(argv);
    const Report report = measure(options);
    if (options.json)
      print_json(report);
    else
      print_text(report);
    return cli::kExitDone;
  });
}
