#pragma once

namespace bzscr {

class Communicator;
class CostCounters;

/// How passes over samples run. Nothing that is computed depends on the threads, and little on the
/// ranks: sums of doubles are added in another order.
struct Execution {
  int threads = 0;                       ///< 0: one a core, as OMP_NUM_THREADS says
  Communicator* communicator = nullptr;  ///< ranks that share the samples; null: one process
  CostCounters* counters = nullptr;      ///< where passes count what they cost; null: nowhere
};

}  // namespace bzscr
