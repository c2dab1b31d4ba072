#include "pipeline/context.h"

#include "core/blas.h"

namespace bzscr::train {

const char* version() { return BZSCR_VERSION; }

LinearAlgebra linear_algebra() {
  reserve_blas_buffers(1);
  return {blas_description(), blas_kernels(), blas_threads(), blas_is_correct()};
}

Execution execution_of(const Context& context, CostCounters* counters) {
  Execution execution;
  execution.threads = context.threads;
  if (context.communicator != nullptr) execution.communicator = context.communicator;
  execution.counters = counters;
  return execution;
}

Events& events_of(const Context& context) {
  static Events no_events;  // stateless
  return context.events != nullptr ? *context.events : no_events;
}

}  // namespace bzscr::train
