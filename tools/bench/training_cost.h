#pragma once

#include "bench/machine_speed.h"
#include "core/counters.h"

#include <bzscr_train/bzscr_train.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What parts of a training cost, and the figures made of it.
namespace bzscr::bench {

/// What a part of the run cost.
struct Cost {
  std::string name;
  std::int64_t evaluations = 0;
  double seconds = 0;
  Counters spent;
  std::int64_t memory = 0;
};

/// From its making to its end.
class Measurement {
 public:
  Measurement(std::string name, const CostCounters& counters)
      : counters_(counters), before_(counters.read()), start_(clock_seconds()) {
    cost_.name = std::move(name);
    forget_peak_memory();
  }
  Cost end(std::int64_t evaluations) {
    cost_.seconds = clock_seconds() - start_;
    cost_.evaluations = evaluations;
    cost_.spent = counters_.read() - before_;
    cost_.memory = peak_memory_bytes();
    return cost_;
  }

 private:
  const CostCounters& counters_;
  Counters before_;
  double start_;
  Cost cost_;
};

/// Measures the phases of a training as they come.
class Phases : public train::Events {
 public:
  Phases(const CostCounters& counters, std::vector<Cost>& costs)
      : counters_(counters), costs_(costs) {}
  void phase(const std::string& name) override {
    if (!name.empty()) running_.emplace(name, counters_);
  }
  void phase_ended(const std::string&, std::int64_t evaluations) override {
    costs_.push_back(running_->end(evaluations));
  }

 private:
  const CostCounters& counters_;
  std::vector<Cost>& costs_;
  std::optional<Measurement> running_;
};

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

}  // namespace bzscr::bench
