// bench_store: what keeping classes costs: bytes written for each, the time to open a store of
// many, and what scoring notices of an update.
#include "bench/counting_device.h"
#include "bench/random_model.h"
#include "support/cli_support.h"
#include "support/command_line.h"
#include "support/program.h"

#include <fmt/format.h>
#include <bzscr_store/bzscr_store.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace bzscr;
using namespace bzscr::cli;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string folder;
  std::uint32_t classes = 10000, features = 1024, dimension = 300, weak_models = 64;
};

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// The model's table, shared, and the store in the folder, which counts what it programs.
class Device {
 public:
  Device(const Options& options, const Memory& model)
      : table_(model.data(), model.size(), table_options(options)),
        folder_(options.folder, table_),
        counting_(folder_.device()) {
    bzscr_store_config config{};
    config.create = 1;
    const Clock::time_point start = Clock::now();
    store_.emplace(table_, model.data(), counting_.device(), config);
    opening = microseconds(Clock::now() - start);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void add(std::uint32_t first, std::uint32_t count, std::uint32_t dimension) {
    std::vector<std::string> names;
    std::vector<std::vector<float>> embeddings;
    std::vector<bzscr_store_change> changes;
    for (std::uint32_t id = first; id < first + count; ++id) {
      names.push_back(fmt::format("class {}", id));
      embeddings.push_back(bench::random_floats(dimension, id));
    }
    for (std::uint32_t i = 0; i < count; ++i)
      changes.push_back({BZSCR_STORE_ADD, first + i, names[i].c_str(), embeddings[i].data()});
    store_->change(changes);
  }

  const Scorer& table() const { return table_; }
  Store& store() { return *store_; }
  std::uint64_t& programmed() { return counting_.programmed; }  ///< bytes
  double opening = 0;                                           ///< microseconds

 private:
  static bzscr_rt_config table_options(const Options& options) {
    bzscr_rt_config config{};
    config.class_capacity = options.classes + 2000;
    config.shared = 1;
    return config;
  }

  Scorer table_;
  StoreFolder folder_;
  bench::CountingDevice counting_;
  std::optional<Store> store_;
};

void print_opening(const Options& options, const Memory& model, const char* of) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(Device(options, model).opening);
  fmt::print("open a store of {} classes, {}: {:.1f} ms (median of 5)\n", options.classes, of,
             quantile(times, 0.5) / 1e3);
}

/// Times of queries on another thread, as long as `meanwhile` runs.
template <class Work>
std::vector<double> query_times(const Device& device, const Options& options, Work meanwhile) {
  std::vector<double> times;
  std::atomic<bool> stop{false};
  const Memory scratch(device.table().scratch_bytes());
  const std::vector<float> x = bench::random_floats(options.features, 9);
  std::thread scorer([&] {
    while (!stop) {
      bzscr_rt_result best[10];
      std::size_t count = 0;
      const Clock::time_point start = Clock::now();
      bzscr_rt_top(device.table().handle(), x.data(), scratch.data(), 10, best, &count);
      times.push_back(microseconds(Clock::now() - start));
    }
  });
  meanwhile();
  stop = true;
  scorer.join();
  return times;
}

void print_times(const char* when, const std::vector<double>& times) {
  fmt::print(
      "a query {}: median {:.1f} us, 99 of 100 within {:.1f} us, worst {:.1f} us ({} queries)\n",
      when, quantile(times, 0.5), quantile(times, 0.99), quantile(times, 1), times.size());
}

void run(const Options& options) {
  if (!std::filesystem::create_directory(options.folder))
    throw std::runtime_error(options.folder + ": is there already; a new folder is expected");
  const Memory model =
      bench::random_model(options.features, options.dimension, options.weak_models);
  {
    Device device(options, model);
    constexpr std::uint32_t kBatch = 100;
    for (std::uint32_t id = 1; id < options.classes; id += kBatch)
      device.add(id, std::min(kBatch, options.classes - id), options.dimension);
  }
  print_opening(options, model, "from the log");
  Device device(options, model);
  device.programmed() = 0;
  device.store().compact();
  fmt::print("compacting them writes {:.2f} MB\n", static_cast<double>(device.programmed()) / 1e6);
  print_opening(options, model, "from a snapshot");

  const std::vector<double> idle =
      query_times(device, options, [] { std::this_thread::sleep_for(std::chrono::seconds(2)); });
  device.programmed() = 0;
  constexpr std::uint32_t kAdded = 500;
  std::vector<double> adding;
  const std::vector<double> busy = query_times(device, options, [&] {
    for (std::uint32_t i = 0; i < kAdded; ++i) {
      const Clock::time_point start = Clock::now();
      device.add(options.classes + i, 1, options.dimension);
      adding.push_back(microseconds(Clock::now() - start));
    }
  });
  fmt::print(
      "adding one class writes {:.1f} bytes, {} of them its embedding, and takes {:.2f} ms with "
      "its syncs (median of {})\n",
      static_cast<double>(device.programmed()) / kAdded, options.dimension * 4,
      quantile(adding, 0.5) / 1e3, kAdded);
  print_times("while nothing changes", idle);
  print_times("while classes are added one after the other", busy);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "What keeping a device's classes costs. FOLDER, which must not be there yet, says on which "
      "disk.",
      "bench_store");
  app.add_option("FOLDER", options.folder, "for the store")->required();
  app.add_option("--classes", options.classes, "in the store")
      ->capture_default_str()
      ->check(CLI::Range(100, 200000));
  app.add_option("--features", options.features, "m")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536));
  app.add_option("--dimension", options.dimension, "d")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--weak-models", options.weak_models, "k")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  return run_program("bench_store", argc, argv, [&] {
    if (const std::optional<int> exit_code = parse_command_line(app, argc, argv)) return *exit_code;
    run(options);
    return kExitDone;
  });
}
