#pragma once

#include <cstdint>

namespace bzscr {

/// What passes over the samples have cost this process so far, counted where it happens. For
/// benchmarks: nothing that is computed depends on it.
struct Counters {
  std::int64_t flops =
      0;  ///< of products of blocks, 2 n m w: k and C as asked for, not the padding computed too
  std::int64_t feature_bytes = 0;  ///< of blocks read, as stored in the file
  std::int64_t message_bytes =
      0;  ///< of what passes put together with other processes: the numbers, once
  std::int64_t messages = 0;  ///< how often
  double product_seconds =
      0;  ///< in those products, summed over threads; features that lie ready are read in them
  double loss_seconds = 0;  ///< in the loops over the losses of a block, summed over threads
  double pass_seconds = 0;  ///< of passes, by wall clock; those side by side count one by one
  double pass_thread_seconds = 0;  ///< the same of each thread of each pass, waiting included
  double waiting_seconds =
      0;  ///< for other processes to come to the end of a pass, and their numbers
};
Counters operator-(const Counters& now, const Counters& before);

/// The sum over all threads, finished ones included. Not while a pass is running.
Counters counters();

/// A block's features are read.
void count_features(std::int64_t bytes);

/// Numbers are put together with those of other processes.
void count_message(std::int64_t bytes);

/// For as long as one lives, its thread's time counts as one of Counters's seconds; where that is
/// for products, with the flops they come to. Two looks at a clock: for blocks of samples, not for
/// single ones.
class Timer {
 public:
  explicit Timer(double Counters::*seconds, std::int64_t flops = 0);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double Counters::*seconds_;
  double start_;
};

}  // namespace bzscr
