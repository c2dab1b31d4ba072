// bench_store: what keeping classes costs: bytes written for each, the time to open a store of
// many, and what scoring notices of an update.
#include "export/model_writer.h"
#include "support/cli_support.h"
#include "support/command_line.h"
#include "support/program.h"

#include <bzscr_rt/bzscr_rt.h>
#include <bzscr_store/bzscr_store.h>
#include <bzscr_store/bzscr_store_posix.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>
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

Matrix unit_columns(Index rows, Index columns, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> value;
  Matrix matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = value(random);
  matrix.colwise().normalize();
  return matrix;
}

std::vector<float> random_floats(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value;
  std::vector<float> values(n);
  for (float& each : values) each = value(random);
  return values;
}

std::vector<std::uint8_t> model_bytes(const Options& options) {
  ModelFile model;
  const Index k = options.weak_models;
  model.ensemble = {unit_columns(options.features, k, 1), unit_columns(options.dimension, k, 2),
                    Vector::LinSpaced(k, 2.0, 1.0)};
  model.embedding_scaling = EmbeddingScaling::kUnit;
  model.classes = {{0, "0", false}};
  model.class_embeddings = Matrix::Ones(1, options.dimension);
  return serialise_model(model);
}

/// The model's table, shared, and the store in the folder, which counts what it programs.
class Device {
 public:
  Device(const Options& options, const std::vector<std::uint8_t>& model)
      : model_(aligned_memory(model.size())) {
    std::memcpy(model_.get(), model.data(), model.size());
    bzscr_rt_config rt{};
    rt.struct_size = sizeof rt;
    rt.model = model_.get();
    rt.model_bytes = model.size();
    rt.class_capacity = options.classes + 2000;
    rt.shared = 1;
    require(bzscr_rt_arena_bytes(&rt, &rt.arena_bytes) == BZSCR_RT_OK,
            "the model cannot be measured");
    table_arena_ = aligned_memory(rt.arena_bytes);
    rt.arena = table_arena_.get();
    require(bzscr_rt_open(&rt, &table) == BZSCR_RT_OK, "the model cannot be opened");

    require(bzscr_store_posix_open(&folder_, options.folder.c_str(), (1u << 30) - 1, 0) ==
                BZSCR_STORE_OK,
            "the folder cannot be opened");
    device_ = folder_.device;
    device_.context = this;
    device_.read = [](void* self, std::uint32_t at, void* bytes, std::uint32_t size) {
      return of(self).read(&folder(self), at, bytes, size);
    };
    device_.program = [](void* self, std::uint32_t at, const void* bytes, std::uint32_t size) {
      static_cast<Device*>(self)->programmed += size;
      return of(self).program(&folder(self), at, bytes, size);
    };
    device_.erase = [](void* self, std::uint32_t block) {
      return of(self).erase(&folder(self), block);
    };
    device_.sync = [](void* self) { return of(self).sync(&folder(self)); };
    device_.used = [](void* self, std::uint32_t bank, std::uint32_t* bytes) {
      return of(self).used(&folder(self), bank, bytes);
    };
    device_.lock = [](void* self, std::int32_t exclusive) {
      return of(self).lock(&folder(self), exclusive);
    };
    device_.unlock = [](void* self) { of(self).unlock(&folder(self)); };

    bzscr_store_config config{};
    config.struct_size = sizeof config;
    config.device = &device_;
    config.table = table;
    config.model = model_.get();
    config.create = 1;
    require(bzscr_store_arena_bytes(&config, &config.arena_bytes) == BZSCR_STORE_OK,
            "the store cannot be measured");
    store_arena_ = aligned_memory(config.arena_bytes);
    config.arena = store_arena_.get();
    const Clock::time_point start = Clock::now();
    require(bzscr_store_open(&config, &store) == BZSCR_STORE_OK, "the store cannot be opened");
    opening = microseconds(Clock::now() - start);
  }
  ~Device() { bzscr_store_posix_close(&folder_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void add(std::uint32_t first, std::uint32_t count, std::uint32_t dimension) {
    std::vector<std::string> names;
    std::vector<std::vector<float>> embeddings;
    std::vector<bzscr_store_change> changes;
    for (std::uint32_t id = first; id < first + count; ++id) {
      names.push_back(fmt::format("class {}", id));
      embeddings.push_back(random_floats(dimension, id));
    }
    for (std::uint32_t i = 0; i < count; ++i)
      changes.push_back({BZSCR_STORE_ADD, first + i, names[i].c_str(), embeddings[i].data()});
    require(bzscr_store_change_classes(store, changes.data(), count, nullptr) == BZSCR_STORE_OK,
            "a class cannot be added");
  }

  bzscr_rt* table = nullptr;
  bzscr_store* store = nullptr;
  double opening = 0;
  std::uint64_t programmed = 0;

 private:
  static bzscr_store_posix& folder(void* self) { return static_cast<Device*>(self)->folder_; }
  static const bzscr_store_device& of(void* self) { return folder(self).device; }
  static void require(bool holds, const char* otherwise) {
    if (!holds) throw std::runtime_error(otherwise);
  }

  std::unique_ptr<std::uint8_t, AlignedFile::Free> model_, table_arena_, store_arena_;
  bzscr_store_posix folder_{};
  bzscr_store_device device_{};
};

void print_opening(const Options& options, const std::vector<std::uint8_t>& model, const char* of) {
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
  const auto scratch = aligned_memory(bzscr_rt_scratch_bytes(device.table));
  const std::vector<float> x = random_floats(options.features, 9);
  std::thread scorer([&] {
    while (!stop) {
      bzscr_rt_result best[10];
      std::size_t count = 0;
      const Clock::time_point start = Clock::now();
      bzscr_rt_top(device.table, x.data(), scratch.get(), 10, best, &count);
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
  const std::vector<std::uint8_t> model = model_bytes(options);
  {
    Device device(options, model);
    constexpr std::uint32_t kBatch = 100;
    for (std::uint32_t id = 1; id < options.classes; id += kBatch)
      device.add(id, std::min(kBatch, options.classes - id), options.dimension);
  }
  print_opening(options, model, "from the log");
  Device device(options, model);
  device.programmed = 0;
  if (bzscr_store_compact(device.store) != BZSCR_STORE_OK)
    throw std::runtime_error("the store cannot be compacted");
  fmt::print("compacting them writes {:.2f} MB\n", static_cast<double>(device.programmed) / 1e6);
  print_opening(options, model, "from a snapshot");

  const std::vector<double> idle =
      query_times(device, options, [] { std::this_thread::sleep_for(std::chrono::seconds(2)); });
  device.programmed = 0;
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
      static_cast<double>(device.programmed) / kAdded, options.dimension * 4,
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
