#pragma once

#include "types/execution.h"

#include <cstdint>
#include <mutex>

namespace bzscr {

/// The cost of passes over the samples, for benchmarks and summaries. No result depends on it.
struct Counters {
  std::int64_t flops = 0;          ///< of block products, 2 n m w; padding is not counted
  std::int64_t feature_bytes = 0;  ///< of the blocks read, in the file's storage type
  std::int64_t message_bytes = 0;  ///< of numbers passed to allreduce and allgather, per rank
  std::int64_t messages = 0;       ///< calls of allreduce and allgather
  double product_seconds = 0;      ///< in block products, reading included; sum over threads
  double loss_seconds = 0;         ///< in the loops over losses; sum over threads
  double pass_seconds = 0;         ///< wall clock of passes; sum over passes, also parallel ones
  double pass_thread_seconds = 0;  ///< of each thread of each pass, waiting included
  double waiting_seconds = 0;      ///< in allreduce and allgather
};
Counters operator-(const Counters& now, const Counters& before);

/// Sums of costs; several threads may add to them. Each call, one per block of samples, takes a
/// lock.
class CostCounters {
 public:
  void add_seconds(double Counters::*member, double seconds, std::int64_t flops = 0);
  void add_features(std::int64_t bytes);
  void add_message(std::int64_t bytes);
  Counters read() const;

 private:
  mutable std::mutex mutex_;
  Counters sum_;
};

/// Adds its lifetime to one of the seconds, and `flops` to the flops. With null counters it does
/// not read the clock.
class Timer {
 public:
  Timer(CostCounters* counters, double Counters::*seconds, std::int64_t flops = 0);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  CostCounters* counters_;
  double Counters::*seconds_;
  std::int64_t flops_;
  double start_ = 0;
};

}  // namespace bzscr
