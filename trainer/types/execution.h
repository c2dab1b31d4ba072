#pragma once

namespace bzscr {

class Communicator;
class CostCounters;

/// How passes over samples run. Nothing that is computed depends on the threads, and little on the
/// ranks: sums of doubles are added in another order.
struct Execution {
  int threads = 0;                       ///< >= 0; 0: OMP_NUM_THREADS, or one per core
  Communicator* communicator = nullptr;  ///< ranks among which samples are divided; null: one rank
  CostCounters* counters = nullptr;      ///< for the cost of passes; null: it is not counted
};

}  // namespace bzscr
