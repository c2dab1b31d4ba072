// bzscr-bench: how fast a model is scored on this machine, in every form and storage and by every
// kernel.
#include "bench/memory_speed.h"
#include "support/cli_support.h"
#include "support/command_line.h"

#include <bzscr_rt/bzscr_rt.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace bzscr::cli;
using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kForms[] = {"prototypes", "factors", "dense"};

struct Options {
  std::string model;
  std::uint32_t classes = 0;
  std::size_t length = 10;
  std::size_t batch = 16;
  double seconds = 0.3;
  std::string form, storage, kernel;
  bool writer = false;
  bool json = false;
};

struct Row {
  bzscr_rt_info info;
  double p50, p90, p99, worst;  ///< microseconds a query
  std::size_t queries;
  double batch;          ///< microseconds a query of a batch
  double change;         ///< microseconds to add a class, the median
  double bytes;          ///< that a query reads
  double rate, ceiling;  ///< bytes a second, and when nothing but reading is done
  std::size_t changes;   ///< that a writer made meanwhile
};

void require(bzscr_rt_status status, const std::string& what) {
  if (status != BZSCR_RT_OK) throw std::runtime_error(what + ": " + bzscr_rt_status_text(status));
}

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::vector<float> random_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value;
  std::vector<float> values(n);
  for (float& each : values) each = value(random);
  return values;
}

/// A model opened as the row says, its table full: the model's classes, then random ones.
class Opened {
 public:
  Opened(const Options& options, const AlignedFile& file, bzscr_rt_form form,
         bzscr_rt_storage storage, const char* kernel) {
    bzscr_rt_config config{};
    config.struct_size = sizeof config;
    config.model = file.bytes.get();
    config.model_bytes = file.size;
    config.form = form;
    config.storage = storage;
    config.kernel = kernel;
    config.shared = options.writer ? 1 : 0;
    config.wait = [](void*) { std::this_thread::yield(); };
    const std::uint32_t own = classes_of(config, options.model);
    classes_ = std::max(options.classes, own);
    config.class_capacity = classes_ + 1;  // one to be added and taken away
    require(bzscr_rt_arena_bytes(&config, &config.arena_bytes), options.model);
    arena_ = aligned_memory(config.arena_bytes);
    config.arena = arena_.get();
    require(bzscr_rt_open(&config, &handle_), options.model);
    info_.struct_size = sizeof info_;
    require(bzscr_rt_describe(handle_, &info_), options.model);
    scratch_ = aligned_memory(info_.scratch_bytes * std::max<std::size_t>(options.batch, 1));
    fill();
  }

  bzscr_rt* handle() const { return handle_; }
  const bzscr_rt_info& info() const { return info_; }
  void* scratch() const { return scratch_.get(); }

  void add_one() { require(set(free_id_, "one more", phi_.data()), "adding a class"); }
  void remove_one() { require(bzscr_rt_remove_class(handle_, free_id_), "removing a class"); }

 private:
  static std::uint32_t classes_of(bzscr_rt_config config, const std::string& path) {
    require(bzscr_rt_arena_bytes(&config, &config.arena_bytes), path);
    const auto arena = aligned_memory(config.arena_bytes);
    config.arena = arena.get();
    bzscr_rt* handle = nullptr;
    require(bzscr_rt_open(&config, &handle), path);
    return bzscr_rt_class_count(handle);
  }

  void fill() {
    phi_.resize(info_.embedding_dimension);
    std::uint32_t index = 0;
    for (; bzscr_rt_class_count(handle_) < classes_; ++free_id_) {
      if (bzscr_rt_find_class(handle_, free_id_, &index) == BZSCR_RT_OK) continue;
      // No two classes alike: equal scores would crowd the last place of the best.
      for (float& value : phi_) value = static_cast<float>(random_() >> 8) * 0x1p-24f - 0.5f;
      require(set(free_id_, fmt::format("bench {}", free_id_).c_str(), phi_.data()),
              "adding a class");
    }
    while (bzscr_rt_find_class(handle_, free_id_, &index) == BZSCR_RT_OK) ++free_id_;
    info_.classes = classes_;
  }

  bzscr_rt_status set(std::uint32_t id, const char* name, const float* phi) {
    return bzscr_rt_set_class(handle_, id, name, phi);
  }

  std::uint32_t classes_ = 0, free_id_ = 0;
  std::vector<float> phi_;
  std::minstd_rand random_{5};
  std::unique_ptr<std::uint8_t, AlignedFile::Free> arena_, scratch_;
  bzscr_rt* handle_ = nullptr;
  bzscr_rt_info info_{};
};

double bytes_of_query(const bzscr_rt_info& info) {
  const double matrix = info.form == BZSCR_RT_FORM_FACTORS ? static_cast<double>(info.weak_models)
                        : info.form == BZSCR_RT_FORM_DENSE
                            ? static_cast<double>(info.embedding_dimension)
                            : 0.0;
  return static_cast<double>(info.classes) * static_cast<double>(info.class_bytes) +
         matrix * 4.0 * static_cast<double>(info.feature_dimension);
}

/// Changes classes as fast as it can until it is destroyed.
class Writer {
 public:
  Writer(Opened& opened, bool wanted) {
    if (wanted)
      thread_ = std::thread([this, &opened] {
        for (; !done_; changes_ += 2) {
          opened.add_one();
          opened.remove_one();
        }
      });
  }
  ~Writer() { stop(); }
  std::size_t stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
    return changes_;
  }

 private:
  std::atomic<bool> done_{false};
  std::atomic<std::size_t> changes_{0};
  std::thread thread_;
};

void time_queries(const Options& options, Opened& opened, const std::vector<float>& X, Row& row) {
  const std::size_t m = opened.info().feature_dimension, samples = X.size() / m;
  std::vector<bzscr_rt_result> results(options.length);
  std::vector<double> times;
  std::size_t count = 0;
  Writer writer(opened, options.writer);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < 3 || microseconds_since(start) < options.seconds * 1e6; ++i) {
    const auto before = Clock::now();
    require(bzscr_rt_top(opened.handle(), X.data() + i % samples * m, opened.scratch(),
                         options.length, results.data(), &count),
            "scoring");
    times.push_back(microseconds_since(before));
  }
  row.changes = writer.stop();
  times.erase(times.begin());  // warms up
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  row.p50 = at(0.5), row.p90 = at(0.9), row.p99 = at(0.99), row.worst = times.back();
  row.queries = times.size();
}

double time_batch(const Options& options, Opened& opened, const std::vector<float>& X) {
  const std::size_t samples = X.size() / opened.info().feature_dimension;
  std::vector<bzscr_rt_result> results(samples * options.length);
  std::vector<std::size_t> counts(samples);
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 2 || microseconds_since(start) < options.seconds * 1e6) {
    const auto before = Clock::now();
    require(bzscr_rt_top_batch(opened.handle(), X.data(), samples, opened.scratch(),
                               options.batch * opened.info().scratch_bytes, options.length,
                               results.data(), counts.data(), nullptr),
            "scoring a batch");
    times.push_back(microseconds_since(before) / static_cast<double>(samples));
  }
  return *std::min_element(times.begin(), times.end());
}

double time_change(Opened& opened) {
  std::vector<double> times;
  for (int i = 0; i < 51; ++i) {
    const auto before = Clock::now();
    opened.add_one();
    times.push_back(microseconds_since(before));
    opened.remove_one();
  }
  std::nth_element(times.begin(), times.begin() + 25, times.end());
  return times[25];
}

Row measure(const Options& options, const AlignedFile& file, bzscr_rt_form form,
            bzscr_rt_storage storage, const char* kernel) {
  Opened opened(options, file, form, storage, kernel);
  const std::size_t samples = std::max<std::size_t>(options.batch, 16);
  const std::vector<float> X = random_values(samples * opened.info().feature_dimension, 9);
  Row row{};
  row.info = opened.info();
  time_queries(options, opened, X, row);
  if (options.batch > 1) row.batch = time_batch(options, opened, X);
  row.change = time_change(opened);
  row.bytes = bytes_of_query(row.info);
  row.rate = row.bytes / row.p50 * 1e6;
  row.ceiling = bzscr::read_bandwidth(static_cast<std::size_t>(row.bytes), options.seconds);
  return row;
}

/// Bytes of a file that are verified in a second.
double time_verification(const Options& options, const AlignedFile& file) {
  bzscr_rt_config config{};
  config.struct_size = sizeof config;
  config.model = file.bytes.get();
  config.model_bytes = file.size;
  double best = 1e30;
  const auto start = Clock::now();
  do {
    const auto before = Clock::now();
    require(bzscr_rt_arena_bytes(&config, &config.arena_bytes), options.model);
    best = std::min(best, microseconds_since(before));
  } while (microseconds_since(start) < options.seconds * 1e6);
  return static_cast<double>(file.size) / best * 1e6;
}

void print_row(const Options& options, const Row& row) {
  fmt::print("{:<10} {:<7} {:<12} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9}", row.info.form_name,
             row.info.storage_name, row.info.kernel_name, row.p50, row.p90, row.p99, row.worst,
             options.batch > 1 ? fmt::format("{:.1f}", row.batch) : "-");
  fmt::print(" {:>8.1f} {:>11.0f} {:>7.1f} {:>6.0f}% {:>12}", row.change, row.bytes, row.rate / 1e9,
             100 * row.rate / row.ceiling, row.info.arena_bytes);
  if (options.writer) fmt::print(" {:>9}", row.changes);
  fmt::print("\n");
}

ordered_json to_json(const Row& row) {
  return {{"form", row.info.form_name},
          {"storage", row.info.storage_name},
          {"kernel", row.info.kernel_name},
          {"p50_us", row.p50},
          {"p90_us", row.p90},
          {"p99_us", row.p99},
          {"worst_us", row.worst},
          {"queries", row.queries},
          {"batch_us", row.batch},
          {"add_class_us", row.change},
          {"bytes_per_query", row.bytes},
          {"bytes_per_second", row.rate},
          {"read_bytes_per_second", row.ceiling},
          {"arena_bytes", row.info.arena_bytes},
          {"changes_meanwhile", row.changes}};
}

/// The rows asked for, each as soon as it is known.
template <class Show>
void measure_all(const Options& options, const AlignedFile& file, const Show& show) {
  const auto wanted = [](const std::string& asked, const char* name) {
    return asked.empty() || asked == name;
  };
  bool any = false;
  for (std::size_t f = 0; f < std::size(kForms); ++f)
    for (std::size_t s = 0; s < std::size(kStorages); ++s)
      for (std::uint32_t k = 0; const char* kernel = bzscr_rt_kernel_name(k); ++k)
        if (wanted(options.form, kForms[f]) && wanted(options.storage, kStorages[s]) &&
            wanted(options.kernel, kernel)) {
          any = true;
          show(measure(options, file, static_cast<bzscr_rt_form>(f + 1),
                       static_cast<bzscr_rt_storage>(s), kernel));
        }
  if (!any)
    throw std::runtime_error("no kernel '" + options.kernel + "' that this processor can run");
}

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  CLI::App app(
      "Times a model on this machine: one thread, one query after the other, the best classes "
      "included.\n"
      "Features are random; classes beyond the model's own are random too.",
      "bzscr-bench");
  app.set_version_flag("--version", std::string("bzscr-bench ") + bzscr_rt_version());
  app.add_option("MODEL", options.model, "Model file (.bzscr)")->required();
  app.add_option("--classes", options.classes,
                 "Classes in the table; 0: as many as the model holds")
      ->capture_default_str();
  app.add_option("--length", options.length, "Best classes to find")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--batch", options.batch,
                 "Samples that share a pass over the classes; 1: no batches")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "For each measurement")
      ->check(CLI::Range(0.001, 100.0))
      ->capture_default_str();
  app.add_option("--form", options.form, "Only this form")
      ->check(one_of({std::begin(kForms), std::end(kForms)}));
  app.add_option("--storage", options.storage, "Only this storage")
      ->check(one_of({std::begin(kStorages), std::end(kStorages)}));
  app.add_option("--kernel", options.kernel, "Only this kernel, e.g. scalar");
  app.add_flag("--writer", options.writer,
               "Another thread adds and removes a class meanwhile, as fast as it can");
  app.add_flag("--json", options.json, "One JSON object instead of text");
  return parse_command_line(app, argc, argv);
}

void run(const Options& options) {
  const AlignedFile file = read_aligned(options.model);
  const double verified = time_verification(options, file);
  if (options.json) {
    ordered_json rows = ordered_json::array();
    bzscr_rt_info info{};
    measure_all(options, file,
                [&](const Row& row) { info = row.info, rows.push_back(to_json(row)); });
    const ordered_json out = {{"model", options.model},
                              {"features", info.feature_dimension},
                              {"embedding_dimension", info.embedding_dimension},
                              {"weak_models", info.weak_models},
                              {"classes", info.classes},
                              {"length", options.length},
                              {"batch", options.batch},
                              {"verified_bytes_per_second", verified},
                              {"rows", rows}};
    fmt::print("{}\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {} bytes, verified at {:.2f} GB/s\n\n", options.model, file.size, verified / 1e9);
  fmt::print("{:30} microseconds a query\n", "");
  fmt::print(
      "{:<10} {:<7} {:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>11} {:>7} {:>7} {:>12}{}\n",
      "form", "storage", "kernel", "p50", "p90", "p99", "worst", "batch", "add", "bytes read",
      "GB/s", "ceiling", "arena bytes", options.writer ? "   changes" : "");
  measure_all(options, file, [&](const Row& row) {
    print_row(options, row);
    std::fflush(stdout);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const std::optional<int> exit_code = parse_options(argc, argv, options)) return *exit_code;
  try {
    run(options);
    return 0;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bzscr-bench: so many classes need more memory than there is\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bzscr-bench: {}\n", error.what());
  }
  return kExitBadInput;
}
