#pragma once

#include "types/execution.h"

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

/// The execution parameters of a context. `counters` replaces the counters of the context.
Execution execution_of(const Context& context, CostCounters* counters = nullptr);

/// The callbacks of a context, or callbacks that do nothing.
Events& events_of(const Context& context);

}  // namespace bzscr::train
