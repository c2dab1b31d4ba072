#pragma once

#include "geometry/split_problem.h"
#include "solver/config.h"

namespace bzscr {

/// The problem that BZ-SCR is trained on: split_problem(), and the base where the configuration has
/// one. All ranks call it.
SplitProblem training_split(const Dataset& data, const Partition& partition, const Matrix& Delta,
                            const ClassSplit& classes, const Scalings& scalings,
                            const BoostConfig& config, const Execution& execution = {});

}  // namespace bzscr
