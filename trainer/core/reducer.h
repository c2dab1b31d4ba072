#pragma once

#include "comm/communicator.h"
#include "core/counters.h"
#include "types/execution.h"
#include "types/linalg.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <initializer_list>
#include <optional>

namespace bzscr {

/// Samples per block. It is fixed, so that sums do not depend on the number of threads. A block of
/// a few hundred features stays in the second-level cache between the two products that read it.
constexpr Index kBlockSamples = 256;

/// The number of threads of a pass, >= 1.
inline int thread_count(const Execution& execution) {
  return execution.threads > 0 ? execution.threads : omp_get_max_threads();
}

/// The range of samples that this rank visits: whole blocks, divided evenly among the ranks.
inline LocalRange local_samples(const Execution& execution, Index samples) {
  const LocalRange blocks =
      communicator_of(execution).local_range((samples + kBlockSamples - 1) / kBlockSamples);
  return {std::min(samples, blocks.first * kBlockSamples),
          std::min(samples, blocks.last * kBlockSamples)};
}

/// The first exception of a parallel region, which no exception may leave.
class FirstException {
 public:
  /// Calls work(), unless there was an exception. Thread-safe.
  template <class Work>
  void guard(Work work) {
    if (!failed_) try {
        work();
      } catch (...) {
        if (!failed_.exchange(true)) exception_ = std::current_exception();
      }
  }
  /// Call it behind the region.
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr exception_;
};

/// Visits all blocks of samples of this rank in parallel and reduces their results. They are added
/// in the order of the blocks, so the sum is bitwise the same for any number of threads. The block
/// boundaries do not depend on the number of ranks; allreduce() or allgather_samples() afterwards
/// combines the results of the ranks.
/// \param make_worker  called once per thread; returns an object with the thread's buffers and
///                     visit(first, count), which computes the results of a block
/// \param add          add(worker) adds the results of the block just visited; calls are serialised
///                     and in the order of the blocks
/// An exception, such as std::bad_alloc, ends the pass and is rethrown to the caller.
template <class MakeWorker, class Add>
void reduce_blocks(const Execution& execution, Index samples, MakeWorker make_worker, Add add) {
  const Timer pass(execution.counters, &Counters::pass_seconds);
  const LocalRange own = local_samples(execution, samples);
  FirstException failure;
#pragma omp parallel num_threads(thread_count(execution))
  {
    const Timer thread(execution.counters, &Counters::pass_thread_seconds);
    std::optional<decltype(make_worker())> worker;
    failure.guard([&] { worker.emplace(make_worker()); });
#pragma omp for ordered schedule(static, 1)
    for (Index first = own.first; first < own.last; first += kBlockSamples) {
      failure.guard([&] { worker->visit(first, std::min(kBlockSamples, own.last - first)); });
#pragma omp ordered
      failure.guard([&] { add(*worker); });
    }
  }
  failure.rethrow();
}

/// Call after a pass: replaces sums over the blocks of this rank by sums over all ranks.
inline void allreduce(const Execution& execution, std::initializer_list<Summands> sums) {
  Communicator& communicator = communicator_of(execution);
  if (communicator.size() == 1) return;
  const Timer timer(execution.counters, &Counters::waiting_seconds);
  Index numbers = 0;
  for (const Summands& each : sums) numbers += each.size;
  if (execution.counters != nullptr)
    execution.counters->add_message(numbers * static_cast<Index>(sizeof(double)));
  communicator.allreduce(sums);
}

/// Call after a pass that wrote one element per sample: gathers the elements of all ranks.
template <class Array>
void allgather_samples(const Execution& execution, Array& array, Index samples) {
  Communicator& communicator = communicator_of(execution);
  if (communicator.size() == 1) return;
  const Timer timer(execution.counters, &Counters::waiting_seconds);
  if (execution.counters != nullptr)
    execution.counters->add_message(samples * static_cast<Index>(sizeof(*array.data())));
  communicator.allgather(array, local_samples(execution, samples));
}

}  // namespace bzscr
