#include "bench/scoring_speed.h"

#include "bench/memory_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace bzscr::cli {
namespace {

using Clock = std::chrono::steady_clock;

void require(bzscr_rt_status status) {
  if (status != BZSCR_RT_OK) throw Error(status);
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

/// A model whose table is full: the model's classes, then random ones, and room for one more.
class FullTable {
 public:
  FullTable(const ModelFile& file, bzscr_rt_config config, const SpeedOptions& options)
      : classes_(
            std::max(options.classes, static_cast<std::uint32_t>(file.describe().classes.size()))),
        scorer_(file.open(with_room(config, classes_, options.writer))),
        info_(scorer_.info()),
        scratch_(info_.scratch_bytes * std::max<std::size_t>(options.batch, 1)),
        phi_(info_.embedding_dimension, 1.0f) {
    fill();
  }

  bzscr_rt* handle() const { return scorer_.handle(); }
  const bzscr_rt_info& info() const { return info_; }
  const Memory& scratch() const { return scratch_; }

  void add_one() { scorer_.set_class(free_id_, "one more", phi_); }
  void remove_one() { scorer_.remove_class(free_id_); }

 private:
  static bzscr_rt_config with_room(bzscr_rt_config config, std::uint32_t classes, bool shared) {
    config.class_capacity = classes + 1;
    config.shared = shared ? 1 : 0;
    config.wait = [](void*) { std::this_thread::yield(); };
    return config;
  }

  void fill() {
    std::uint32_t index = 0;
    for (; scorer_.class_count() < classes_; ++free_id_) {
      if (bzscr_rt_find_class(handle(), free_id_, &index) == BZSCR_RT_OK) continue;
      // No two classes alike: equal scores would crowd the last place of the best.
      for (float& value : phi_) value = static_cast<float>(random_() >> 8) * 0x1p-24f - 0.5f;
      scorer_.set_class(free_id_, fmt::format("bench {}", free_id_), phi_);
    }
    while (bzscr_rt_find_class(handle(), free_id_, &index) == BZSCR_RT_OK) ++free_id_;
    info_.classes = classes_;
  }

  std::uint32_t classes_, free_id_ = 0;
  std::minstd_rand random_{5};
  Scorer scorer_;
  bzscr_rt_info info_;
  Memory scratch_;
  std::vector<float> phi_;
};

double bytes_of_query(const bzscr_rt_info& info) {
  const double matrix = info.form == BZSCR_RT_FORM_FACTORS ? static_cast<double>(info.weak_models)
                        : info.form == BZSCR_RT_FORM_DENSE
                            ? static_cast<double>(info.embedding_dimension)
                            : 0.0;
  return static_cast<double>(info.classes) * static_cast<double>(info.class_bytes) +
         matrix * 4.0 * static_cast<double>(info.feature_dimension);
}

/// Changes classes as fast as it can until it is stopped.
class Writer {
 public:
  Writer(FullTable& table, bool wanted) {
    if (wanted)
      thread_ = std::thread([this, &table] {
        for (; !done_; changes_ += 2) {
          table.add_one();
          table.remove_one();
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

void time_queries(const SpeedOptions& options, FullTable& table, const std::vector<float>& X,
                  Speed& speed) {
  const std::size_t m = table.info().feature_dimension, samples = X.size() / m;
  std::vector<bzscr_rt_result> results(options.length);
  std::vector<double> times;
  std::size_t count = 0;
  Writer writer(table, options.writer);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < 3 || microseconds_since(start) < options.seconds * 1e6; ++i) {
    const auto before = Clock::now();
    require(bzscr_rt_top(table.handle(), X.data() + i % samples * m, table.scratch().data(),
                         options.length, results.data(), &count));
    times.push_back(microseconds_since(before));
  }
  speed.changes = writer.stop();
  times.erase(times.begin());  // warms up
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  speed.p50 = at(0.5), speed.p90 = at(0.9), speed.p99 = at(0.99), speed.worst = times.back();
  speed.queries = times.size();
}

double time_batch(const SpeedOptions& options, const FullTable& table,
                  const std::vector<float>& X) {
  const std::size_t samples = X.size() / table.info().feature_dimension;
  std::vector<bzscr_rt_result> results(samples * options.length);
  std::vector<std::size_t> counts(samples);
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 2 || microseconds_since(start) < options.seconds * 1e6) {
    const auto before = Clock::now();
    require(bzscr_rt_top_batch(table.handle(), X.data(), samples, table.scratch().data(),
                               options.batch * table.info().scratch_bytes, options.length,
                               results.data(), counts.data(), nullptr));
    times.push_back(microseconds_since(before) / static_cast<double>(samples));
  }
  return *std::min_element(times.begin(), times.end());
}

double time_change(FullTable& table) {
  std::vector<double> times;
  for (int i = 0; i < 51; ++i) {
    const auto before = Clock::now();
    table.add_one();
    times.push_back(microseconds_since(before));
    table.remove_one();
  }
  std::nth_element(times.begin(), times.begin() + 25, times.end());
  return times[25];
}

}  // namespace

Speed measure_speed(const ModelFile& file, bzscr_rt_config config, const SpeedOptions& options) {
  FullTable table(file, config, options);
  const std::size_t samples = std::max<std::size_t>(options.batch, 16);
  const std::vector<float> X = random_values(samples * table.info().feature_dimension, 9);
  Speed speed;
  speed.info = table.info();
  time_queries(options, table, X, speed);
  if (options.batch > 1) speed.batch = time_batch(options, table, X);
  speed.change = time_change(table);
  speed.bytes = bytes_of_query(speed.info);
  speed.rate = speed.bytes / speed.p50 * 1e6;
  speed.ceiling = read_bandwidth(static_cast<std::size_t>(speed.bytes), options.seconds);
  return speed;
}

double verification_speed(const ModelFile& file, double seconds) {
  double best = 1e30;
  const auto start = Clock::now();
  do {
    const auto before = Clock::now();
    static_cast<void>(VerifiedModel(file.data(), file.size()));
    best = std::min(best, microseconds_since(before));
  } while (microseconds_since(start) < seconds * 1e6);
  return static_cast<double>(file.size()) / best * 1e6;
}

}  // namespace bzscr::cli
