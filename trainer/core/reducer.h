#pragma once

#include "core/tally.h"
#include "types/linalg.h"

#include <algorithm>

namespace bzscr {

/// Samples to a block. Fixed, so that sums are the same for any number of threads; a block of a few
/// hundred features stays in the second-level cache between the two products that read it.
constexpr Index kBlockSamples = 256;

/// The one place where sums cross blocks of samples. Threads take blocks as they come; results are
/// added in the order of the blocks, so the sum has the same bits for any number of threads.
/// \param make_worker  called once per thread: an object with a thread's buffers and
///                     visit(first, count), which computes a block's results
/// \param add          add(worker): takes the results of the block just visited; one at a time, in order
template <class MakeWorker, class Add>
void reduce_blocks(Index samples, MakeWorker make_worker, Add add) {
  const Timer pass(&Tally::pass_seconds);
  const Index blocks = (samples + kBlockSamples - 1) / kBlockSamples;
#pragma omp parallel
  {
    const Timer thread(&Tally::pass_thread_seconds);
    auto worker = make_worker();
#pragma omp for ordered schedule(static, 1)
    for (Index b = 0; b < blocks; ++b) {
      const Index first = b * kBlockSamples;
      worker.visit(first, std::min(kBlockSamples, samples - first));
#pragma omp ordered
      add(worker);
    }
  }
}

}  // namespace bzscr
