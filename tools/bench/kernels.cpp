// bzscr-bench-kernels: the trainer's inner pieces one by one, beside what else would compute the
// same.

#include "bench/eigen_kernels.h"

#include "core/lbfgs.h"
#include "core/logistic.h"
#include "core/products.h"
#include "core/reducer.h"
#include "core/refinement.h"
#include "core/weak_learner.h"
#include "support/libraries.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using benchmark::Counter;
using benchmark::State;

Matrix normal_matrix(Index rows, Index columns, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(random); });
}

void count(State& state, const char* what, double each) {
  state.counters[what] = Counter(each * static_cast<double>(state.iterations()), Counter::kIsRate,
                                 Counter::OneK::kIs1000);
}

// ---- products of blocks, one after the other as a pass visits them: arguments are k and m ----

constexpr Index kPassFloats = Index{1} << 24;  // more than caches hold

/// \param kernel    which computes them
/// \param multiply  of a block
template <class Multiply>
void product(State& state, ProductKernel kernel, Multiply multiply) {
  const Index k = state.range(0), m = state.range(1);
  MatrixF X(kPassFloats / m / kBlockSamples * kBlockSamples, m);
  for (Index i = 0; i < X.rows(); ++i) X.row(i).setLinSpaced(-1, static_cast<float>(i % 7));
  MatrixF out;
  Index first = 0;
  for (auto _ : state) {
    multiply(X.middleRows(first, kBlockSamples), out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
    first = (first + kBlockSamples) % X.rows();
  }
  count(state, "FLOP/s", 2.0 * static_cast<double>(kBlockSamples * m * k));
  state.SetLabel(kernel == ProductKernel::kBlas ? "blas" : product_kernel());
}

void BM_times(State& state, ProductKernel kernel) {
  const MatrixF A = normal_matrix(state.range(1), state.range(0)).cast<float>();
  product(state, kernel, [&](const auto& X, MatrixF& out) { times<float>(X, A, out, kernel); });
}

void BM_transposed_times(State& state, ProductKernel kernel) {
  const MatrixF R = normal_matrix(kBlockSamples, state.range(0)).cast<float>();
  product(state, kernel,
          [&](const auto& X, MatrixF& out) { transposed_times<float>(X, R, out, kernel); });
}

const std::vector<std::vector<std::int64_t>> kShapes = {{16, 32, 48, 64, 96}, {512, 2048}};
BENCHMARK_CAPTURE(BM_times, own, ProductKernel::kBest)->ArgsProduct(kShapes)->ArgNames({"k", "m"});
BENCHMARK_CAPTURE(BM_times, blas, ProductKernel::kBlas)->ArgsProduct(kShapes)->ArgNames({"k", "m"});
BENCHMARK_CAPTURE(BM_transposed_times, own, ProductKernel::kBest)
    ->ArgsProduct(kShapes)
    ->ArgNames({"k", "m"});
BENCHMARK_CAPTURE(BM_transposed_times, blas, ProductKernel::kBlas)
    ->ArgsProduct(kShapes)
    ->ArgNames({"k", "m"});

// ---- losses of a block: the argument is the classes of a row ----

/// Every way has the same work: scores are copied to a row, which becomes sigmoids; ln(1 + e^rho)
/// is summed.
template <class Row>
void losses(State& state, Row row) {
  const Index n = state.range(0);
  const MatrixF F = (2 * normal_matrix(kBlockSamples, n)).cast<float>();
  const VectorF Delta = VectorF::LinSpaced(n, 0, 1);
  VectorF sigmoids(n);
  for (auto _ : state) {
    double loss = 0;
    for (Index i = 0; i < F.rows(); ++i) {
      sigmoids = F.row(i);
      loss += row(sigmoids, Delta, F(i, 0));
      benchmark::DoNotOptimize(sigmoids.data());
    }
    benchmark::DoNotOptimize(loss);
    benchmark::ClobberMemory();
  }
  count(state, "elements/s", static_cast<double>(F.size()));
}

void BM_logistic_row(State& state) {
  losses(state, [](VectorF& F, const VectorF& Delta, float base) {
    const LogisticSums sums = logistic_row(F.data(), Delta.data(), base, F.size());
    return sums.loss + sums.gradient;
  });
}

void BM_logistic_eigen(State& state) {
  losses(state, [](VectorF& F, const VectorF& Delta, float base) {
    return eigen_logistic_row(F.data(), Delta.data(), base, static_cast<long>(F.size()));
  });
  state.SetLabel(std::to_string(eigen_packet_floats()) + " floats to a packet");
}

void BM_logistic_libm(State& state) {
  losses(state, [](VectorF& F, const VectorF& Delta, float base) {
    double sum = 0;
    for (Index r = 0; r < F.size(); ++r) {
      const float rho = F[r] - base + Delta[r], e = std::exp(-std::fabs(rho));
      F[r] = (rho < 0 ? e : 1) / (1 + e);
      sum += static_cast<double>(std::fmax(rho, 0.0f) + std::log1p(e)) + static_cast<double>(F[r]);
    }
    return sum;
  });
}

BENCHMARK(BM_logistic_row)->Arg(48)->Arg(208)->Arg(1008)->ArgName("classes");
BENCHMARK(BM_logistic_eigen)->Arg(48)->Arg(208)->Arg(1008)->ArgName("classes");
BENCHMARK(BM_logistic_libm)->Arg(48)->Arg(208)->Arg(1008)->ArgName("classes");

// ---- between passes ----

void BM_lbfgs_direction(State& state) {
  const Index n = state.range(0), memory = LbfgsOptions().memory;
  LbfgsMemory pairs(memory, Vector::Ones(n));
  for (Index pair = 0; pair < memory; ++pair) {
    const Vector step = normal_matrix(n, 1, static_cast<unsigned>(pair));
    pairs.push(step, 2 * step);
  }
  const Vector g = normal_matrix(n, 1, 100);
  for (auto _ : state) benchmark::DoNotOptimize(pairs.direction(g));
  count(state, "elements/s", static_cast<double>(n * memory));
}
BENCHMARK(BM_lbfgs_direction)->Arg(16 * 600)->Arg(48 * 2100)->ArgName("entries");

void BM_leading_pairs(State& state) {
  const Matrix G = normal_matrix(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(leading_pairs(G, 48));
  count(state, "elements/s", static_cast<double>(G.size()));
}
BENCHMARK(BM_leading_pairs)
    ->Args({512, 49})
    ->Args({2048, 199})
    ->ArgNames({"m", "p"})
    ->Unit(benchmark::kMillisecond);

void BM_recompress(State& state) {
  const Index k = state.range(0), m = state.range(1);
  const Factors at{normal_matrix(m, k), normal_matrix(199, k, 2)};
  for (auto _ : state) benchmark::DoNotOptimize(recompress(at, 1e-5));
  count(state, "elements/s", static_cast<double>(at.A.size() + at.B.size()));
}
BENCHMARK(BM_recompress)
    ->ArgsProduct({{16, 48, 96}, {512, 2048}})
    ->ArgNames({"k", "m"})
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) try {
  bzscr::cli::prepare_libraries(argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
} catch (const std::exception& error) {
  std::fprintf(stderr, "bzscr-bench-pieces: %s\n", error.what());
  return 2;
}
