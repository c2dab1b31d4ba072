#include "cli/plan.h"

#include "core/curvature.h"
#include "core/reducer.h"
#include "core/refinement.h"
#include "core/weak_learner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace bzscr {
namespace {

constexpr Index kWeakModels = 48;  // as refinement begins with, where the data allow so many
constexpr Index kSamples = 64 * kBlockSamples;  // a process measures
constexpr Index kEvaluations = 20;              // as long as the curvature stands
constexpr int kRounds = 5;                      // the fastest counts: other work only slows
constexpr double kUsualLatency = 3e-5, kUsualBandwidth = 1.1e9;  // TCP over 10 Gbit/s
constexpr Index kPairsKept = 20;                                 // of L-BFGS

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The first samples, as many as all processes measure together.
Problem first_samples(const Problem& problem) {
  const Index n = std::min(problem.samples(), kSamples * rank_count());
  Problem some{{problem.X.features,
                {problem.X.rows.begin(), problem.X.rows.begin() + n},
                problem.X.scale.head(n)},
               {},
               problem.Phi,
               problem.Delta,
               problem.seen};
  some.y.assign(problem.y.begin(), problem.y.begin() + n);
  return some;
}

/// A part of a real refinement: passes by the tally, and what is between them by the clock.
void measure_evaluations(const Problem& problem, double nu, double beta, Index k,
                         MachineFigures& machine) {
  const FeatureSpectrum spectrum = feature_spectrum(problem.X);
  const Sweep<float> sweep(problem, beta);
  const Curvature curvature(problem, spectrum, beta);
  const Penalty penalty{nu * static_cast<double>(problem.samples()), 0};
  const Vector s = Vector::Ones(problem.samples());
  const Factors none{Matrix(problem.X.dimension(), 0), Matrix(problem.Phi.cols(), 0)};
  const SingularPairs pairs = leading_pairs(sweep.negative_gradient(none.A, none.B, s).G, k);
  const Factors start = factors({pairs.U, pairs.V, Vector::Constant(pairs.sigma.size(), 1e-3)});
  const FactorBasis basis = curvature.basis(start, s, penalty);
  LbfgsOptions options;
  options.min_iterations = kEvaluations;
  options.max_evaluations = kEvaluations;
  options.noise = kSumNoise<float>;
  const LocalRange own = local_samples(problem.samples());
  for (int round = 0; round < kRounds; ++round) {
    Factors at = start;
    const Counters before = counters();
    const auto began = Clock::now();
    const Index evaluations =
        refine(sweep, at, SampleWeights(s), penalty, options, &basis).evaluations;
    const double wall = seconds_since(began);
    const Counters cost = counters() - before;
    const auto each = [&](double seconds) { return seconds / static_cast<double>(evaluations); };
    const double sample =
        each(cost.pass_seconds) / static_cast<double>(std::max<Index>(1, own.last - own.first));
    const double step = each(wall - cost.pass_seconds - cost.waiting_seconds);
    machine.sample_seconds = round == 0 ? sample : std::min(machine.sample_seconds, sample);
    machine.step_seconds = round == 0 ? step : std::min(machine.step_seconds, step);
  }
}

double sum_seconds(Index numbers, int times) {
  Vector values = Vector::Zero(numbers);
  double fastest = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto began = Clock::now();
    for (int i = 0; i < times; ++i) allreduce({values});
    fastest = std::min(fastest, seconds_since(began) / times);
  }
  return fastest;
}

/// By a line through two sizes, an evaluation's message and eight of them: libraries sum short
/// messages another way, with fewer steps.
void measure_network(Index message, MachineFigures& machine) {
  machine.latency = kUsualLatency;
  machine.bandwidth = kUsualBandwidth;
  const int P = rank_count();
  if (P == 1) return;
  machine.network_measured = true;
  const double one = sum_seconds(message, 20), eight = sum_seconds(8 * message, 3);
  const double of_bytes =
      std::clamp((eight - one) / 7, 1e-9, one);  // of one message, beside its latency
  machine.latency = (one - of_bytes) / (2 * std::ceil(std::log2(P)));
  machine.bandwidth = 2.0 * (P - 1) / P * static_cast<double>(message) * sizeof(double) / of_bytes;
}

/// Numbers that every process has of each sample: labels, norms; of a problem rows, scales, labels;
/// s and losses, twice.
constexpr double kBytesOfSample = 4 + 8 + 8 + 8 + 4 + 2 * 16;

double memory_bytes(const Plan& plan) {
  const auto m = static_cast<double>(plan.features);
  const double numbers = static_cast<double>((plan.features + plan.embedding) * plan.weak_models);
  const double program = 64e6,
               per_thread = static_cast<double>(
                                kBlockSamples *
                                (plan.features + 2 * plan.classes + 3 * plan.weak_models) * 4) +
                            2 * 4 * numbers;
  return program + kBytesOfSample * static_cast<double>(plan.samples) +
         plan.machine.threads * per_thread + (2 * kPairsKept + 8) * 8 * numbers +
         (3 * 8 + 4) * m * m;
}

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.3g} ms", seconds * 1e3)
                        : fmt::format("{:.3g} s", seconds);
}

}  // namespace

double allreduce_seconds(int processes, double bytes, const MachineFigures& machine) {
  if (processes == 1) return 0;
  return 2 * std::ceil(std::log2(processes)) * machine.latency +
         2.0 * (processes - 1) / processes * bytes / machine.bandwidth;
}

Plan plan(const Dataset& data, const Divergence& divergence, const TrainOptions& options) {
  const SplitProblem split = split_problem(
      data, divergence.Delta, {seen_classes(data, data.partition), data.partition.unseen}, options.scalings);
  const Problem& problem = split.problem;
  Plan plan;
  plan.samples = problem.samples();
  plan.features = problem.X.dimension();
  plan.embedding = problem.Phi.cols();
  plan.classes = problem.classes();
  plan.weak_models = std::min({kWeakModels, plan.features, plan.embedding});
  plan.machine.processes = rank_count();
  plan.machine.threads = omp_get_max_threads();
  const BoostConfig usual;
  measure_evaluations(first_samples(problem), options.nu.value_or(usual.nu),
                      options.beta.value_or(usual.beta), plan.weak_models, plan.machine);
  const Index message = (plan.features + plan.embedding) * plan.weak_models + 1;
  measure_network(message, plan.machine);
  std::vector<std::uint8_t> figures(sizeof plan.machine);
  std::memcpy(figures.data(), &plan.machine, figures.size());
  broadcast(figures);
  std::memcpy(&plan.machine, figures.data(), figures.size());

  for (int P = 1; P <= 1024; P *= 2) {
    PlannedRun run;
    run.processes = P;
    // As many blocks as the process that has most of them.
    const Index blocks = (plan.samples + kBlockSamples - 1) / kBlockSamples,
                most = (blocks + P - 1) / P;
    const auto own = static_cast<double>(std::min(plan.samples, most * kBlockSamples));
    run.memory_bytes = memory_bytes(plan);
    run.feature_bytes = own * static_cast<double>(problem.X.features.row_bytes());
    run.message_bytes = P == 1 ? 0 : 8.0 * static_cast<double>(message);
    run.compute_seconds = own * plan.machine.sample_seconds + plan.machine.step_seconds;
    run.communication_seconds = allreduce_seconds(P, run.message_bytes, plan.machine);
    const double alone = plan.runs.empty() ? run.seconds() : plan.runs.front().seconds();
    run.speedup = alone / run.seconds();
    run.weak_efficiency = alone / (alone + run.communication_seconds);
    if (2 * run.speedup >= P) plan.worth_using = P;
    plan.runs.push_back(run);
  }
  return plan;
}

std::string table_of(const Plan& plan) {
  const MachineFigures& machine = plan.machine;
  std::string text = fmt::format(
      "{} samples, {} features, {} classes; {} weak models on an embedding of {} dimensions\n",
      plan.samples, plan.features, plan.classes, plan.weak_models, plan.embedding);
  text +=
      fmt::format("measured here with {} thread{} a process: {} a sample, {} between evaluations\n",
                  machine.threads, machine.threads == 1 ? "" : "s",
                  seconds_text(machine.sample_seconds), seconds_text(machine.step_seconds));
  text += fmt::format("{}: latency {}, bandwidth {}/s\n\n",
                      machine.network_measured
                          ? "measured between these processes"
                          : "a usual network, not measured (mpirun -n 2 measures yours)",
                      seconds_text(machine.latency), bytes_text(machine.bandwidth));
  text += fmt::format("{:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>13}  {:>8}  {:>12}\n", "processes",
                      "memory", "+ features", "evaluation", "messages", "communicating", "speed-up",
                      "weak scaling");
  for (const PlannedRun& run : plan.runs)
    text += fmt::format("{:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>12.1f}%  {:>8.1f}  {:>11.1f}%\n",
                        run.processes, bytes_text(run.memory_bytes), bytes_text(run.feature_bytes),
                        seconds_text(run.seconds()), bytes_text(run.message_bytes),
                        100 * run.communication_seconds / run.seconds(), run.speedup,
                        100 * run.weak_efficiency);
  return text + fmt::format(
                    "\nworth using: up to {} (half of the time or more of use). memory, features "
                    "and messages are of one process; an evaluation\n"
                    "is a pass over the samples, of which a training takes some hundred; features "
                    "stay in the file where memory is short.\n"
                    "weak scaling: the speed that is kept where each process has as many samples "
                    "as there are here in all\n",
                    plan.worth_using);
}

std::string json_of(const Plan& plan) {
  const MachineFigures& machine = plan.machine;
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const PlannedRun& run : plan.runs)
    runs.push_back({{"processes", run.processes},
                    {"memory_bytes", run.memory_bytes},
                    {"feature_bytes", run.feature_bytes},
                    {"message_bytes", run.message_bytes},
                    {"compute_seconds", run.compute_seconds},
                    {"communication_seconds", run.communication_seconds},
                    {"seconds", run.seconds()},
                    {"speedup", run.speedup},
                    {"weak_efficiency", run.weak_efficiency}});
  return nlohmann::ordered_json{{"samples", plan.samples},
                                {"features", plan.features},
                                {"classes", plan.classes},
                                {"embedding_dimension", plan.embedding},
                                {"weak_models", plan.weak_models},
                                {"machine",
                                 {{"processes", machine.processes},
                                  {"threads", machine.threads},
                                  {"sample_seconds", machine.sample_seconds},
                                  {"step_seconds", machine.step_seconds},
                                  {"latency_seconds", machine.latency},
                                  {"bandwidth_bytes_per_second", machine.bandwidth},
                                  {"network_measured", machine.network_measured}}},
                                {"plan", runs},
                                {"worth_using", plan.worth_using}}
      .dump();
}

}  // namespace bzscr
