#pragma once

#include "comm/communicator.h"
#include "core/counters.h"
#include "types/execution.h"
#include "types/linalg.h"

#include <omp.h>

#include <algorithm>
#include <initializer_list>

namespace bzscr {

/// Samples to a block. Fixed, so that sums are the same for any number of threads; a block of a few
/// hundred features stays in the second-level cache between the two products that read it.
constexpr Index kBlockSamples = 256;

/// Threads of a pass.
inline int thread_count(const Execution& execution) {
  return execution.threads > 0 ? execution.threads : omp_get_max_threads();
}

/// The blocks of `samples` samples that this rank visits, a run of them as long as the others', as
/// samples.
inline LocalRange local_samples(const Execution& execution, Index samples) {
  const LocalRange blocks =
      communicator_of(execution).local_range((samples + kBlockSamples - 1) / kBlockSamples);
  return {std::min(samples, blocks.first * kBlockSamples),
          std::min(samples, blocks.last * kBlockSamples)};
}

/// The one place where sums cross blocks of samples. Threads take blocks as they come; results are
/// added in the order of the blocks, so the sum has the same bits for any number of threads. Of
/// several ranks each visits its own blocks, the very blocks that one alone would; allreduce() or
/// allgather_samples() puts together the rest.
/// \param make_worker  called once per thread: an object with a thread's buffers and
///                     visit(first, count), which computes a block's results
/// \param add          add(worker): takes the results of the block just visited; one at a time, in
///                     order
template <class MakeWorker, class Add>
void reduce_blocks(const Execution& execution, Index samples, MakeWorker make_worker, Add add) {
  const Timer pass(execution.counters, &Counters::pass_seconds);
  const LocalRange own = local_samples(execution, samples);
#pragma omp parallel num_threads(thread_count(execution))
  {
    const Timer thread(execution.counters, &Counters::pass_thread_seconds);
    auto worker = make_worker();
#pragma omp for ordered schedule(static, 1)
    for (Index first = own.first; first < own.last; first += kBlockSamples) {
      worker.visit(first, std::min(kBlockSamples, own.last - first));
#pragma omp ordered
      add(worker);
    }
  }
}

/// After a pass: what it summed over this rank's blocks becomes the sum over all.
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

/// After a pass that wrote something for each of `samples` samples: what other ranks wrote comes in.
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
