// bench_runtime: the runtime beside the libraries that one would otherwise multiply with, in one
// program. Of ours, all that an application waits for is timed, the ten best included; of theirs
// the product alone.
//
//   bench_runtime --benchmark_filter=m1024/10000/ --benchmark_repetitions=5
//   --benchmark_report_aggregates_only=true
//                 --benchmark_enable_random_interleaving=true      one shape: m and the number of
//                 classes; read "_min"
#include "bench/memory_speed.h"
#include "bench/random_model.h"
#include "bench/third_party.h"
#include "support/libraries.h"

#include <benchmark/benchmark.h>
#include <bzscr_rt/bzscr_rt.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace bzscr;

constexpr std::size_t kBest = 10;
constexpr Index kEmbedding = 64;

float* floats_of(const Memory& memory) { return reinterpret_cast<float*>(memory.data()); }

// Cheap, and as good as any for a product.
void fill_random(float* values, std::size_t n, std::uint32_t seed) {
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = static_cast<float>(seed >> 8) * 0x1p-24f - 0.5f;
  }
}

bzscr_rt_config config_of(std::uint32_t classes, bzscr_rt_form form, bzscr_rt_storage storage) {
  bzscr_rt_config config{};
  config.class_capacity = classes + 1;
  config.form = form;
  config.storage = storage;
  return config;
}

/// A model of random numbers with a table of random classes.
class RandomTable {
 public:
  RandomTable(std::size_t m, std::size_t k, std::uint32_t classes, bzscr_rt_form form,
              bzscr_rt_storage storage)
      : model_(bench::random_model(static_cast<Index>(m), kEmbedding, static_cast<Index>(k))),
        scorer_(model_.data(), model_.size(), config_of(classes, form, storage)),
        x_(m * sizeof(float)),
        phi_(static_cast<std::size_t>(kEmbedding)) {
    for (std::uint32_t id = 0; id < classes; ++id) add(id);
    fill_random(floats_of(x_), m, 9);
  }

  void query() const {
    bzscr_rt_result best[kBest];
    std::size_t count = 0;
    bzscr_rt_top(scorer_.handle(), floats_of(x_), nullptr, kBest, best, &count);
    benchmark::DoNotOptimize(best);
  }

  void add(std::uint32_t id) {
    // No two embeddings are alike: equal scores would compete for the last place.
    fill_random(phi_.data(), phi_.size(), id * 2654435761u);
    scorer_.set_class(id, std::to_string(id), phi_);
  }
  void remove(std::uint32_t id) { scorer_.remove_class(id); }

 private:
  Memory model_;
  Scorer scorer_;
  Memory x_;
  std::vector<float> phi_;
};

void rate(benchmark::State& state, double bytes) {
  state.SetBytesProcessed(
      static_cast<std::int64_t>(static_cast<double>(state.iterations()) * bytes));
}

const char* const kStorages[] = {"float32", "int8", "float16"};
constexpr double kBytes[] = {4, 1, 2};

void time_ours(benchmark::State& state, std::size_t m, std::size_t k, std::uint32_t C,
               bzscr_rt_form form, bzscr_rt_storage storage) {
  const RandomTable table(m, k, C, form, storage);
  for (auto _ : state) table.query();
  const double row = static_cast<double>(form == BZSCR_RT_FORM_FACTORS ? k : m),
               matrix = form == BZSCR_RT_FORM_FACTORS ? 4.0 * static_cast<double>(m * k) : 0.0;
  rate(state, C * row * kBytes[storage] + matrix);
}

struct Product {
  Product(std::size_t C, std::size_t m)
      : P(C * m * sizeof(float)), x(m * sizeof(float)), scores((C + 16) * sizeof(float)) {
    fill_random(floats_of(P), C * m, 3);
    fill_random(floats_of(x), m, 4);
  }
  Memory P, x, scores;
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
  for (auto _ : state) benchmark::DoNotOptimize(read_all(product.P.data(), C * m * sizeof(float)));
  rate(state, 4.0 * static_cast<double>(C * m));
}

void time_adding(benchmark::State& state, std::uint32_t C, bzscr_rt_form form,
                 bzscr_rt_storage storage) {
  RandomTable table(1024, 64, C, form, storage);
  for (auto _ : state) {
    table.add(C);
    table.remove(C);
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
