#pragma once

#include "geometry/split_problem.h"
#include "solver/config.h"

namespace bzscr {

/// The problem that BZ-SCR is trained on: split_problem(), the centre of the features and the base
/// where they are asked for. The coordinates of Phi have the origin that the form of the score
/// needs. All ranks call it.
SplitProblem training_split(const Dataset& data, const Partition& partition, const Matrix& Delta,
                            const ClassSplit& classes, const Scalings& scalings,
                            const BoostConfig& config, const Execution& execution = {});

}  // namespace bzscr
