#pragma once

#include "support/model_file.h"

#include <cstddef>
#include <cstdint>
#include <string>

/// How fast a model is scored on this machine: what bzscr-bench measures.
namespace bzscr::cli {

struct SpeedOptions {
  std::uint32_t classes = 0;  ///< in the table; 0: the model's. Those beyond are random
  std::size_t length = 10;    ///< best classes to find
  std::size_t batch = 16;     ///< samples that share a pass over the classes; 1: no batches
  double seconds = 0.3;       ///< for each measurement
  bool writer = false;        ///< another thread changes classes meanwhile
};

struct Speed {
  bzscr_rt_info info{};
  double p50 = 0, p90 = 0, p99 = 0, worst = 0;  ///< microseconds a query
  std::size_t queries = 0;
  double batch = 0;              ///< microseconds a query of a batch
  double change = 0;             ///< microseconds to add a class, the median
  double bytes = 0;              ///< that a query reads
  double rate = 0, ceiling = 0;  ///< bytes a second, and where nothing but reading is done
  std::size_t changes = 0;       ///< by the writer
};

/// Random features, one thread, one query after the other, the best classes included.
Speed measure_speed(const ModelFile& file, bzscr_rt_config config, const SpeedOptions& options);

/// Bytes of a model file that are verified in a second.
double verification_speed(const ModelFile& file, double seconds);

}  // namespace bzscr::cli
