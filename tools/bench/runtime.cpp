// bench_runtime: the runtime beside the libraries that one would otherwise multiply with, in one
// program. Of ours, all that an application waits for is timed, the ten best included; of theirs
// the product alone.
//
//   bench_runtime --benchmark_filter=m1024/10000/ --benchmark_repetitions=5
//   --benchmark_report_aggregates_only=true
//                 --benchmark_enable_random_interleaving=true      one shape: m and the number of
//                 classes; read "_min"
#include "bench/memory_speed.h"
#include "bench/third_party.h"
#include "export/model_writer.h"
#include "support/libraries.h"

#include <benchmark/benchmark.h>
#include <bzscr_rt/bzscr_rt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bzscr;

constexpr std::size_t kBest = 10;
constexpr Index kEmbedding = 64;

struct Free {
  void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Free>;

Block memory_of(std::size_t bytes) {
  void* block = nullptr;
  if (posix_memalign(&block, 64, bytes) != 0) throw std::bad_alloc();
  return Block(block);
}

float* floats_of(const Block& block) { return static_cast<float*>(block.get()); }

// Cheap, and as good as any for a product.
void fill_random(float* values, std::size_t n, std::uint32_t seed) {
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = static_cast<float>(seed >> 8) * 0x1p-24f - 0.5f;
  }
}

Matrix unit_columns(Index rows, Index columns, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> value;
  Matrix matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = value(random);
  matrix.colwise().normalize();
  return matrix;
}

std::vector<std::uint8_t> model_of(Index m, Index k) {
  ModelFile model;
  model.ensemble = {unit_columns(m, k, 1), unit_columns(kEmbedding, k, 2),
                    Vector::LinSpaced(k, 2.0, 1.0)};
  model.embedding_scaling = EmbeddingScaling::kUnit;
  model.classes = {{0, "0", false}};
  model.class_embeddings = Matrix::Ones(1, kEmbedding);
  return serialise_model(model);
}

void require(bzscr_rt_status status) {
  if (status != BZSCR_RT_OK) throw std::runtime_error(bzscr_rt_status_text(status));
}

/// A model of random numbers with a table of random classes.
class Scorer {
 public:
  Scorer(std::size_t m, std::size_t k, std::uint32_t classes, bzscr_rt_form form,
         bzscr_rt_storage storage) {
    const std::vector<std::uint8_t> bytes = model_of(static_cast<Index>(m), static_cast<Index>(k));
    model_ = memory_of(bytes.size());
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(model_.get()));
    bzscr_rt_config config{};
    config.struct_size = sizeof config;
    config.model = model_.get();
    config.model_bytes = bytes.size();
    config.class_capacity = classes + 1;
    config.form = form;
    config.storage = storage;
    require(bzscr_rt_arena_bytes(&config, &config.arena_bytes));
    arena_ = memory_of(config.arena_bytes);
    config.arena = arena_.get();
    require(bzscr_rt_open(&config, &handle_));
    phi_.resize(static_cast<std::size_t>(kEmbedding));
    for (std::uint32_t id = 0; id < classes; ++id) add(id);
    x_ = memory_of(m * sizeof(float));
    fill_random(floats_of(x_), m, 9);
  }

  void query() const {
    bzscr_rt_result best[kBest];
    std::size_t count = 0;
    bzscr_rt_top(handle_, floats_of(x_), nullptr, kBest, best, &count);
    benchmark::DoNotOptimize(best);
  }

  void add(std::uint32_t id) {
    char name[16];
    fill_random(phi_.data(), phi_.size(),
                id * 2654435761u);  // no two alike: equal scores would crowd the last place
    std::snprintf(name, sizeof name, "%u", id);
    require(bzscr_rt_set_class(handle_, id, name, phi_.data()));
  }
  void remove(std::uint32_t id) { require(bzscr_rt_remove_class(handle_, id)); }

 private:
  Block model_, arena_, x_;
  std::vector<float> phi_;
  bzscr_rt* handle_ = nullptr;
};

void rate(benchmark::State& state, double bytes) {
  state.SetBytesProcessed(
      static_cast<std::int64_t>(static_cast<double>(state.iterations()) * bytes));
}

const char* const kStorages[] = {"float32", "int8", "float16"};
constexpr double kBytes[] = {4, 1, 2};

void time_ours(benchmark::State& state, std::size_t m, std::size_t k, std::uint32_t C,
               bzscr_rt_form form, bzscr_rt_storage storage) {
  const Scorer scorer(m, k, C, form, storage);
  for (auto _ : state) scorer.query();
  const double row = static_cast<double>(form == BZSCR_RT_FORM_FACTORS ? k : m),
               matrix = form == BZSCR_RT_FORM_FACTORS ? 4.0 * static_cast<double>(m * k) : 0.0;
  rate(state, C * row * kBytes[storage] + matrix);
}

struct Product {
  Product(std::size_t C, std::size_t m)
      : P(memory_of(C * m * sizeof(float))),
        x(memory_of(m * sizeof(float))),
        scores(memory_of((C + 16) * sizeof(float))) {
    fill_random(floats_of(P), C * m, 3);
    fill_random(floats_of(x), m, 4);
  }
  Block P, x, scores;
};

void time_peer(benchmark::State& state, std::size_t C, std::size_t m, std::size_t which) {
  const Product product(C, m);
  const ThirdParty peer = third_party_products(floats_of(product.P), floats_of(product.x),
                                               floats_of(product.scores), C, m)[which];
  for (auto _ : state) peer.product();
  rate(state, 4.0 * static_cast<double>(C * m));
}

void time_reading(benchmark::State& state, std::size_t C, std::size_t m) {
  const Product product(C, m);
  for (auto _ : state) benchmark::DoNotOptimize(read_all(product.P.get(), C * m * sizeof(float)));
  rate(state, 4.0 * static_cast<double>(C * m));
}

void time_adding(benchmark::State& state, std::uint32_t C, bzscr_rt_form form,
                 bzscr_rt_storage storage) {
  Scorer scorer(1024, 64, C, form, storage);
  for (auto _ : state) {
    scorer.add(C);
    scorer.remove(C);
  }
}

template <class... Arguments>
void add(const std::string& name, double seconds, void (*time)(benchmark::State&, Arguments...),
         Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { time(state, arguments...); })
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(seconds)
      ->ComputeStatistics("min", [](const std::vector<double>& times) {
        return *std::min_element(times.begin(), times.end());
      });
}

void add_shape(std::size_t m, std::size_t k, std::uint32_t C, double seconds) {
  const std::string shape = "m" + std::to_string(m) + "/" + std::to_string(C) + "/";
  add<std::size_t, std::size_t>(shape + "reading_alone", seconds, time_reading, C, m);
  float nothing[16] = {};
  const std::vector<ThirdParty> all = third_party_products(nothing, nothing, nothing, 1, 1);
  for (std::size_t which = 0; which < all.size(); ++which)
    add<std::size_t, std::size_t, std::size_t>(shape + all[which].name, seconds, time_peer, C, m,
                                               which);
  for (const bzscr_rt_storage storage : {0, 1, 2}) {
    add(shape + "bzscr_prototypes_" + kStorages[storage], seconds, time_ours, m, k, C,
        bzscr_rt_form{BZSCR_RT_FORM_PROTOTYPES}, storage);
    add(shape + "bzscr_factors_k" + std::to_string(k) + "_" + kStorages[storage], seconds,
        time_ours, m, k, C, bzscr_rt_form{BZSCR_RT_FORM_FACTORS}, storage);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  bzscr::cli::prepare_libraries(argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  constexpr double kSeconds = 0.1;
  for (const std::uint32_t C : {50u, 1000u, 10000u, 100000u}) add_shape(1024, 64, C, kSeconds);
  add_shape(2048, 64, 10000, kSeconds);
  add("m2048/1000000/bzscr_factors_k64_int8", 4 * kSeconds, time_ours, std::size_t{2048},
      std::size_t{64}, 1000000u, bzscr_rt_form{BZSCR_RT_FORM_FACTORS},
      bzscr_rt_storage{BZSCR_RT_STORAGE_INT8});
  for (const bzscr_rt_storage storage : {0, 1}) {
    add("add_class/100000/bzscr_prototypes_" + std::string(kStorages[storage]), kSeconds,
        time_adding, 100000u, bzscr_rt_form{BZSCR_RT_FORM_PROTOTYPES}, storage);
    add("add_class/100000/bzscr_factors_" + std::string(kStorages[storage]), kSeconds, time_adding,
        100000u, bzscr_rt_form{BZSCR_RT_FORM_FACTORS}, storage);
  }
  benchmark::RegisterBenchmark("add_class/100000/xnnpack_operator_made_anew",
                               [](benchmark::State& state) {
                                 const Product product(100000, 1024);
                                 for (auto _ : state)
                                   recreate_xnnpack(floats_of(product.P), 100000, 1024);
                               })
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(1);
  benchmark::RunSpecifiedBenchmarks();
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_runtime: %s\n", error.what());
  return 2;
}
