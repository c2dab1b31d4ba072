// bzscr-bench-train: where the time of training on a data set goes, against what the machine can
// do.

#include "base/json.h"
#include "core/counters.h"
#include "core/products.h"
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
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;

struct Options {
  std::string data, embedding;
  std::optional<double> nu, beta;
  double ridge = kDefaultRidge;
  std::string method = "bzscr", solver = "refine";
  int threads = 0;
  std::int64_t repeats = 5;
  bool json = false;
};

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// ---- the machine ----

/// GFLOP/s of square single-precision products by BLAS, on all threads at the same time: the best
/// of a few sizes, each the sum of the threads' medians over short rounds, so that other work on
/// the machine hardly shows.
double measured_peak(int threads) {
  constexpr int kRounds = 15;
  double peak = 0;
  for (const Index n : {256, 512, 1024}) {
    const Index times = std::max<Index>(1, 64 * 1024 * 1024 / (n * n * n));
    double gflops = 0;
#pragma omp parallel num_threads(threads) reduction(+ : gflops)
    {
      const MatrixF A = MatrixF::Constant(n, n, 0.5f), B = MatrixF::Constant(n, n, 0.25f);
      MatrixF C(n, n);
      C.noalias() = A * B;  // memory and kernels are warm
      std::vector<double> seconds;
#pragma omp barrier
      for (int round = 0; round < kRounds; ++round) {
        const double start = clock_seconds();
        for (Index time = 0; time < times; ++time) C.noalias() = A * B;
        seconds.push_back(clock_seconds() - start);
      }
      gflops += 2e-9 * static_cast<double>(n * n * n * times) / median(seconds);
    }
    peak = std::max(peak, gflops);
  }
  return peak;
}

/// From here on peak_memory_bytes() is of what follows, where the system has a way to say so
/// (Linux).
void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::int64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

// ---- what is measured ----

/// What a part of the run cost.
struct Cost {
  std::string name;
  std::int64_t evaluations = 0;
  double seconds = 0;
  Counters spent;
  std::int64_t memory = 0;
};

/// From its making to its end.
class Measurement {
 public:
  Measurement(std::string name, const CostCounters& counters)
      : counters_(counters), before_(counters.read()), start_(clock_seconds()) {
    cost_.name = std::move(name);
    forget_peak_memory();
  }
  Cost end(std::int64_t evaluations) {
    cost_.seconds = clock_seconds() - start_;
    cost_.evaluations = evaluations;
    cost_.spent = counters_.read() - before_;
    cost_.memory = peak_memory_bytes();
    return cost_;
  }

 private:
  const CostCounters& counters_;
  Counters before_;
  double start_;
  Cost cost_;
};

/// Measures the phases of a training as they come.
class Phases : public train::Events {
 public:
  Phases(const CostCounters& counters, std::vector<Cost>& costs)
      : counters_(counters), costs_(costs) {}
  void phase(const std::string& name) override {
    if (!name.empty()) running_.emplace(name, counters_);
  }
  void phase_ended(const std::string&, std::int64_t evaluations) override {
    costs_.push_back(running_->end(evaluations));
  }

 private:
  const CostCounters& counters_;
  std::vector<Cost>& costs_;
  std::optional<Measurement> running_;
};

/// The figures of a cost; where there is nothing to divide by, none.
class Figures {
 public:
  Figures(const Cost& cost, int threads, double peak)
      : cost_(cost), threads_(threads), peak_(peak) {}

  using Figure = std::optional<double>;
  /// GFLOP/s by wall clock, and while products are computed, as if all threads did nothing else.
  Figure gflops() const { return ratio(flops() / 1e9, cost_.seconds); }
  Figure gflops_in_products() const {
    return ratio(flops() / 1e9 * threads_, cost_.spent.product_seconds);
  }
  Figure share_of_peak() const { return ratio(gflops().value_or(0), peak_); }
  Figure share_of_peak_in_products() const {
    return ratio(gflops_in_products().value_or(0), peak_);
  }
  /// Of the time of all threads in passes.
  Figure losses() const { return ratio(cost_.spent.loss_seconds, cost_.spent.pass_thread_seconds); }
  Figure products() const {
    return ratio(cost_.spent.product_seconds, cost_.spent.pass_thread_seconds);
  }
  Figure gbytes_per_second() const {
    return ratio(static_cast<double>(cost_.spent.feature_bytes) / 1e9, cost_.seconds);
  }

 private:
  double flops() const { return static_cast<double>(cost_.spent.flops); }
  static Figure ratio(double of, double by) {
    return of > 0 && by > 0 ? Figure(of / by) : std::nullopt;
  }

  const Cost& cost_;
  int threads_;
  double peak_;
};

/// A run of bzscr-train with its phases taken apart, and single passes at the model that it ends
/// with.
struct Report {
  std::string embedding;
  Index samples = 0, features = 0, seen = 0, targets = 0;
  double nu = 0, beta = 0;
  int threads = 1;
  double peak = 0;  ///< GFLOP/s
  std::vector<Cost> phases;
  std::vector<Cost> passes;  ///< a median one of each kind
  Index weak_models = 0;
  double relative_gap = 0;

  Index evaluations() const {
    Index sum = 0;
    for (const Cost& phase : phases) sum += phase.evaluations;
    return sum;
  }
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
Report bench(const Options& options) {
  Report report;
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

// ---- reporting ----

Json json_of(const Report& report, const Cost& cost, const char* kind) {
  const Figures figures(cost, report.threads, report.peak);
  return Json::object({{kind, cost.name},
                       {"evaluations", cost.evaluations},
                       {"seconds", cost.seconds},
                       {"gflops", figures.gflops()},
                       {"gflops_in_products", figures.gflops_in_products()},
                       {"share_of_peak", figures.share_of_peak()},
                       {"share_of_peak_in_products", figures.share_of_peak_in_products()},
                       {"share_in_products", figures.products()},
                       {"share_in_losses", figures.losses()},
                       {"feature_bytes", cost.spent.feature_bytes},
                       {"gbytes_per_second", figures.gbytes_per_second()},
                       {"peak_memory_bytes", cost.memory}});
}

void print_json(const Options& options, const Report& report) {
  Json phases = Json::array(), passes = Json::array();
  for (const Cost& phase : report.phases) phases.push_back(json_of(report, phase, "phase"));
  for (const Cost& pass : report.passes) passes.push_back(json_of(report, pass, "pass"));
  const Json out = Json::object({{"data", options.data},
                                 {"embedding", report.embedding},
                                 {"samples", report.samples},
                                 {"features", report.features},
                                 {"seen_classes", report.seen},
                                 {"target_classes", report.targets},
                                 {"method", options.method},
                                 {"solver", options.solver},
                                 {"nu", report.nu},
                                 {"beta", report.beta},
                                 {"threads", report.threads},
                                 {"product_kernel", product_kernel()},
                                 {"peak_gflops", report.peak},
                                 {"weak_models", report.weak_models},
                                 {"relative_gap", report.relative_gap},
                                 {"evaluations", report.evaluations()},
                                 {"phases", phases},
                                 {"passes", passes}});
  fmt::print("{}\n", out.text());
}

void print_table(const Report& report, const char* title, const std::vector<Cost>& costs,
                 const char* unit, double scale) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.1f}", *value) : "-";
  };
  const auto percent = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}%", 100 * *value) : "-";
  };
  fmt::print(
      "\n{:<19} {:>6} {:>10} | {:>8} {:>5} | {:>11} {:>5} | {:>8} {:>6} | {:>8} {:>6} {:>9}\n",
      title, "passes", unit, "GFLOP/s", "peak", "in products", "peak", "products", "losses",
      "MB read", "GB/s", "memory MB");
  for (const Cost& cost : costs) {
    const Figures figures(cost, report.threads, report.peak);
    fmt::print(
        "{:<19} {:>6} {:>10.3f} | {:>8} {:>5} | {:>11} {:>5} | {:>8} {:>6} | {:>8} {:>6} {:>9}\n",
        cost.name, cost.evaluations, cost.seconds * scale, number(figures.gflops()),
        percent(figures.share_of_peak()), number(figures.gflops_in_products()),
        percent(figures.share_of_peak_in_products()), percent(figures.products()),
        percent(figures.losses()), number(static_cast<double>(cost.spent.feature_bytes) / 1e6),
        number(figures.gbytes_per_second()), cost.memory >> 20);
  }
}

void print_text(const Options& options, const Report& report) {
  fmt::print(
      "data      {}: {} samples, {} features, {} seen and {} target classes, embedding '{}'\n",
      options.data, report.samples, report.features, report.seen, report.targets, report.embedding);
  fmt::print(
      "training  {}, {}, nu {:g}, beta {:g}: {} weak models, certified gap {:.1e}, {} passes over "
      "the samples\n",
      options.method, options.solver, report.nu, report.beta, report.weak_models,
      report.relative_gap, report.evaluations());
  fmt::print(
      "machine   {} thread{}, {:.1f} GFLOP/s in single-precision matrix products; products of "
      "blocks by {}\n",
      report.threads, report.threads == 1 ? "" : "s", report.peak, product_kernel());
  print_table(report, "phase", report.phases, "seconds", 1);
  print_table(report, "one pass", report.passes, "ms", 1e3);
  fmt::print(
      "\npeak: share of the machine's. in products: while they run, were all threads at them. "
      "products, losses: shares of\n"
      "the threads' time in passes. Passes are those that bzscr-train counts; flops and bytes are "
      "of all there are.\n");
}

// ---- command line ----

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
    const Report report = bench(options);
    if (options.json)
      print_json(options, report);
    else
      print_text(options, report);
    return cli::kExitDone;
  });
}
