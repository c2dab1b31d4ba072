// bzscr-bench-train: where the time of training on a data set goes, against what the machine can
// do.

#include "support/cli_support.h"
#include "support/command_line.h"

#include "bzscr_train/error.hpp"
#include "cli/libraries.h"
#include "core/counters.h"
#include "core/products.h"
#include "data/dataset.h"
#include "geometry/divergence.h"
#include "solver/boost.h"
#include "tuning/tune.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
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
  Index repeats = 5;
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
  Index evaluations = 0;
  double seconds = 0;
  Counters spent;
  std::int64_t memory = 0;
};

template <class Work>
Cost measure(const std::string& name, Work work) {
  forget_peak_memory();
  Cost cost;
  cost.name = name;
  const Counters before = counters();
  const double start = clock_seconds();
  cost.evaluations = work();
  cost.seconds = clock_seconds() - start;
  cost.spent = counters() - before;
  cost.memory = peak_memory_bytes();
  return cost;
}

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

struct Quiet : TuningObserver {
  void grid_point(const GridPoint&, Index, Index) override {}
};

template <class Pass>
Cost median_pass(const std::string& name, Index repeats, Pass pass) {
  std::vector<Cost> costs;
  for (Index repeat = 0; repeat < repeats; ++repeat)
    costs.push_back(measure(name, [&] {
      pass();
      return 1;
    }));
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::nth_element(costs.begin(), middle, costs.end(),
                   [](const Cost& a, const Cost& b) { return a.seconds < b.seconds; });
  return *middle;
}

std::vector<Cost> single_passes(const Problem& problem, double beta, const Trained& trained,
                                Index repeats) {
  const Sweep<float> sweep(problem, beta);
  const Factors at = factors(trained.ensemble);
  const Vector& s = trained.s;
  return {median_pass("slopes", repeats, [&] { sweep.factor_gradient(at.A, at.B, s); }),
          median_pass("ascent", repeats, [&] { sweep.negative_gradient(at.A, at.B, s); }),
          median_pass("dual", repeats, [&] { sweep.dual(at.A, at.B, s, 1); }),
          median_pass("losses", repeats, [&] { sweep.losses(at.A, at.B); })};
}

/// The phases of bzscr-train with its defaults, in its order; a test holds their evaluations
/// against its own.
Report bench(const Options& options) {
  Report report;
  report.threads = omp_get_max_threads();
  report.peak = measured_peak(report.threads);

  Dataset data;
  Matrix Delta;
  report.phases.push_back(measure("reading", [&] {
    data = read_dataset(options.data, {options.embedding, ""});
    Delta = divergence_of(data, "", "").Delta;
    return 0;
  }));

  const Scalings scalings;
  const bool correlation = data.partition.unseen.size() >= 2;
  BoostConfig config;
  config.select_samples = options.method == "bzscr";
  config.nu = options.nu.value_or(config.nu);
  config.beta = correlation ? options.beta.value_or(config.beta) : 0;
  config.ridge = options.solver == "paper" ? 0 : options.ridge;
  TuningConfig tuning{config, options.nu, options.beta, scalings};
  if (!correlation) tuning.beta = 0;
  Quiet quiet;
  if (!tuning.nu || !tuning.beta)
    report.phases.push_back(measure("tuning", [&] {
      const Tuned tuned = tune(data, data.partition, Delta, tuning, quiet);
      config.nu = tuned.best.nu;
      config.beta = tuned.best.beta;
      Index evaluations = 0;
      for (const GridPoint& point : tuned.tried) evaluations += point.evaluations;
      return evaluations;
    }));

  const auto printed = [&](const Problem& problem, const EvaluationSet* validation) {
    return boost(problem, validation, config,
                 printed_start(problem, Vector::Ones(problem.samples())), quiet);
  };
  if (options.solver == "paper")
    report.phases.push_back(measure("validation", [&] {
      const ClassSplit held_out = validation_splits(data, data.partition, 1, tuning.seed).front();
      const SplitProblem split = split_problem(data, data.partition, Delta, held_out, scalings);
      const EvaluationSet validation = unseen_evaluation_set(data, data.partition, split, scalings);
      const Trained trained = printed(split.problem, &validation);
      config.max_iterations = trained.iterations;
      return trained.evaluations;
    }));

  const SplitProblem split =
      split_problem(data, data.partition, Delta, {seen_classes(data, data.partition), data.partition.unseen}, scalings);
  const Problem& problem = split.problem;
  Trained trained;
  if (options.solver == "paper") {
    report.phases.push_back(
        measure("training", [&] { return (trained = printed(problem, nullptr)).evaluations; }));
  } else {
    FeatureSpectrum spectrum;
    report.phases.push_back(measure("spectrum", [&] {
      spectrum = feature_spectrum(problem.X);
      return 0;
    }));
    report.phases.push_back(measure("training", [&] {
      trained = boost_refined(problem, spectrum, config, fresh_start(problem, config), quiet);
      return trained.evaluations;
    }));
  }
  if (trained.ensemble.w.size() == 0)
    throw InputError(
        fmt::format("nu {} is above the worth of any weak model, so the model would be empty; "
                    "expected a smaller --nu",
                    config.nu));
  report.passes = single_passes(problem, config.beta, trained, options.repeats);

  report.embedding = data.embedding_name;
  report.samples = problem.samples();
  report.features = problem.X.dimension();
  report.seen = problem.seen;
  report.targets = problem.targets();
  report.nu = config.nu;
  report.beta = config.beta;
  report.weak_models = trained.ensemble.w.size();
  report.relative_gap = trained.certificate.relative_gap();
  return report;
}

// ---- reporting ----

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json as_json(const Report& report, const Cost& cost, const char* kind) {
  const Figures figures(cost, report.threads, report.peak);
  return {{kind, cost.name},
          {"evaluations", cost.evaluations},
          {"seconds", cost.seconds},
          {"gflops", or_null(figures.gflops())},
          {"gflops_in_products", or_null(figures.gflops_in_products())},
          {"share_of_peak", or_null(figures.share_of_peak())},
          {"share_of_peak_in_products", or_null(figures.share_of_peak_in_products())},
          {"share_in_products", or_null(figures.products())},
          {"share_in_losses", or_null(figures.losses())},
          {"feature_bytes", cost.spent.feature_bytes},
          {"gbytes_per_second", or_null(figures.gbytes_per_second())},
          {"peak_memory_bytes", cost.memory}};
}

void print_json(const Options& options, const Report& report) {
  nlohmann::ordered_json out = {{"data", options.data},
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
                                {"evaluations", report.evaluations()}};
  for (const Cost& phase : report.phases) out["phases"].push_back(as_json(report, phase, "phase"));
  for (const Cost& pass : report.passes) out["passes"].push_back(as_json(report, pass, "pass"));
  fmt::print("{}\n", out.dump(2));
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
      "\n{:<10} {:>6} {:>10} | {:>8} {:>5} | {:>11} {:>5} | {:>8} {:>6} | {:>8} {:>6} {:>9}\n",
      title, "passes", unit, "GFLOP/s", "peak", "in products", "peak", "products", "losses",
      "MB read", "GB/s", "memory MB");
  for (const Cost& cost : costs) {
    const Figures figures(cost, report.threads, report.peak);
    fmt::print(
        "{:<10} {:>6} {:>10.3f} | {:>8} {:>5} | {:>11} {:>5} | {:>8} {:>6} | {:>8} {:>6} {:>9}\n",
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
  BoostConfig config;
  config.nu = options.nu.value_or(config.nu);
  config.beta = options.beta.value_or(config.beta);
  config.ridge = options.ridge;
  const std::string wrong = config.validate();
  if (!wrong.empty()) throw InputError(wrong);
  if (options.threads < 0 || options.threads > 1024)
    throw InputError(fmt::format("--threads is {}; expected 0 to 1024", options.threads));
  if (options.repeats < 1)
    throw InputError(fmt::format("--repeats is {}; expected 1 or more", options.repeats));
}

void describe_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "bzscr-bench-train " BZSCR_VERSION);
  app.add_option("DATA", options.data, "Data set folder")->required();
  app.add_option("--embedding", options.embedding,
                 "Embedding of the data set; needed where there are several")
      ->type_name("NAME");
  app.add_option("--nu", options.nu,
                 "Price of ensemble weight (default: chosen, which is a phase too)")
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
                 "Of each single pass, of which the median is told (default: 5)")
      ->type_name("N");
  app.add_flag("--json", options.json, "One JSON object instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Trains as bzscr-train does, without writing a model, and reports where the time goes: "
      "passes over the samples, their\n"
      "products and losses, against the matrix products that the machine was measured at.",
      "bzscr-bench-train");
  describe_options(app, options);
  if (const std::optional<int> exit_code = cli::parse_command_line(app, argc, argv))
    return *exit_code;
  try {
    check(options);
    prepare_libraries(argv);
    if (options.threads > 0) omp_set_num_threads(options.threads);
    const Report report = bench(options);
    if (options.json)
      print_json(options, report);
    else
      print_text(options, report);
    return 0;
  } catch (const InputError& error) {
    fmt::print(stderr, "bzscr-bench-train: {}\n", error.what());
    return cli::kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bzscr-bench-train: {} (this is a bug)\n", error.what());
    return 1;
  }
}
