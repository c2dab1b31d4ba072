#pragma once

#include "types/execution.h"

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

/// How passes over the samples run, as the caller's context has it.
Execution execution_of(const Context& context, CostCounters* counters = nullptr);

/// The caller's events, or nobody's.
Events& events_of(const Context& context);

}  // namespace bzscr::train
