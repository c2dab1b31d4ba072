#pragma once

#include "types/execution.h"

#include <cstdint>
#include <mutex>

namespace bzscr {

/// What passes over the samples have cost, counted where it happens. For benchmarks and summaries:
/// nothing that is computed depends on it.
struct Counters {
  std::int64_t flops =
      0;  ///< of products of blocks, 2 n m w: k and C as asked for, without padding
  std::int64_t feature_bytes = 0;  ///< of blocks read, as stored in the file
  std::int64_t message_bytes = 0;  ///< of numbers that passes summed with other ranks, once
  std::int64_t messages = 0;       ///< how often
  // Seconds
  double product_seconds = 0;  ///< in those products, summed over threads, reading included
  double loss_seconds = 0;     ///< in the loops over the losses of a block, summed over threads
  double pass_seconds = 0;     ///< of passes, by wall clock; those side by side count one by one
  double pass_thread_seconds = 0;  ///< the same of each thread of each pass, waiting included
  double waiting_seconds = 0;  ///< for other ranks to come to the end of a pass, and their numbers
};
Counters operator-(const Counters& now, const Counters& before);

/// Adds up from several threads. Locked for a moment at each call: once a block of samples.
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

/// For as long as one lives, its time counts as one of the seconds; where that is for products, with
/// the flops they come to. Without counters it does nothing, and looks at no clock.
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
