#include "pipeline/plan.h"

#include "core/blas.h"
#include "core/curvature.h"
#include "core/reducer.h"
#include "core/refinement.h"
#include "core/weak_learner.h"
#include "pipeline/context.h"
#include "pipeline/dataset.h"
#include "pipeline/options.h"
#include "tuning/training_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace bzscr::train {
namespace {

constexpr Index kWeakModels = 48;               // at the start of refinement, if m and p allow it
constexpr Index kSamples = 64 * kBlockSamples;  // measured per rank
constexpr Index kEvaluations = 20;              // between two updates of the curvature
constexpr int kRounds = 5;                      // the fastest one is used
constexpr double kUsualLatency = 3e-5, kUsualBandwidth = 1.1e9;  // TCP over 10 Gbit/s
constexpr Index kPairsKept = 20;                                 // LbfgsOptions::memory

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The first samples, kSamples per rank.
Problem first_samples(const Problem& problem) {
  const Index n =
      std::min(problem.samples(), kSamples * communicator_of(problem.X.execution).size());
  Problem some{{problem.X.features,
                {problem.X.rows.begin(), problem.X.rows.begin() + n},
                problem.X.scale.head(n),
                problem.X.execution,
                problem.X.owner,
                problem.X.centre,
                problem.X.columns},
               {},
               problem.Phi,
               problem.Delta,
               problem.seen,
               problem.base};
  some.y.assign(problem.y.begin(), problem.y.begin() + n);
  return some;
}

/// Measures kEvaluations of a refinement: the passes by the counters, the steps between them by the
/// clock.
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
  CostCounters& counters = *problem.X.execution.counters;
  const LocalRange own = local_samples(problem.X.execution, problem.samples());
  for (int round = 0; round < kRounds; ++round) {
    Factors at = start;
    const Counters before = counters.read();
    const auto began = Clock::now();
    const Index evaluations =
        refine(sweep, at, SampleWeights(s), penalty, options, &basis).evaluations;
    const double wall = seconds_since(began);
    const Counters cost = counters.read() - before;
    const auto each = [&](double seconds) { return seconds / static_cast<double>(evaluations); };
    const double sample =
        each(cost.pass_seconds) / static_cast<double>(std::max<Index>(1, own.last - own.first));
    const double step = each(wall - cost.pass_seconds - cost.waiting_seconds);
    machine.sample_seconds = round == 0 ? sample : std::min(machine.sample_seconds, sample);
    machine.step_seconds = round == 0 ? step : std::min(machine.step_seconds, step);
  }
}

double sum_seconds(const Execution& run, Index numbers, int times) {
  Vector values = Vector::Zero(numbers);
  double fastest = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto began = Clock::now();
    for (int i = 0; i < times; ++i) allreduce(run, {values});
    fastest = std::min(fastest, seconds_since(began) / times);
  }
  return fastest;
}

/// Fits latency and bandwidth to two message sizes, that of an evaluation and eight times it. MPI
/// libraries use another algorithm, with fewer steps, for short messages.
void measure_network(const Execution& run, Index message, MachineFigures& machine) {
  machine.latency = kUsualLatency;
  machine.bandwidth = kUsualBandwidth;
  const int P = communicator_of(run).size();
  if (P == 1) return;
  machine.network_measured = true;
  const double one = sum_seconds(run, message, 20), eight = sum_seconds(run, 8 * message, 3);
  const double of_bytes = std::clamp((eight - one) / 7, 1e-9, one);  // without the latency
  machine.latency = (one - of_bytes) / (2 * std::ceil(std::log2(P)));
  machine.bandwidth = 2.0 * (P - 1) / P * static_cast<double>(message) * sizeof(double) / of_bytes;
}

/// Memory of each sample on every rank: label and norm in the data set; row, scale and label in the
/// problem; s and losses, twice.
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

}  // namespace

double allreduce_seconds(int processes, double bytes, const MachineFigures& machine) {
  if (processes == 1) return 0;
  return 2 * std::ceil(std::log2(processes)) * machine.latency +
         2.0 * (processes - 1) / processes * bytes / machine.bandwidth;
}

Plan plan(const Dataset& data, const Partition& partition, const FitOptions& options,
          const Context& context) {
  CostCounters counters;
  const Execution execution = execution_of(context, &counters);
  reserve_blas_buffers(thread_count(execution));
  const Settings settings = checked(settled(options, data.content().data));
  const bzscr::Partition parts = training_partition(data, partition);
  const bzscr::Dataset& read = data.content().data;
  const SplitProblem split =
      training_split(read, parts, data.content().divergence.Delta, all_classes(read, parts),
                     settings.scalings, settings.boost, execution);
  const Problem& problem = split.problem;
  Plan plan;
  plan.samples = problem.samples();
  plan.features = problem.X.dimension();
  plan.embedding = problem.Phi.cols();
  plan.classes = problem.classes();
  plan.weak_models = std::min<std::int64_t>({kWeakModels, plan.features, plan.embedding});
  plan.machine.processes = communicator_of(execution).size();
  plan.machine.threads = thread_count(execution);
  const BoostConfig usual;
  measure_evaluations(first_samples(problem), options.nu.value_or(usual.nu),
                      options.beta.value_or(usual.beta), plan.weak_models, plan.machine);
  const Index message = (plan.features + plan.embedding) * plan.weak_models + 1;
  measure_network(execution, message, plan.machine);
  std::vector<std::uint8_t> figures(sizeof plan.machine);
  std::memcpy(figures.data(), &plan.machine, figures.size());
  communicator_of(execution).broadcast(figures, 0);
  std::memcpy(&plan.machine, figures.data(), figures.size());

  for (int P = 1; P <= 1024; P *= 2) {
    PlannedRun run;
    run.processes = P;
    // The blocks of the rank that has most of them.
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

}  // namespace bzscr::train
