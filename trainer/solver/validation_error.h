#pragma once

#include "types/ensemble.h"
#include "types/problem.h"
#include "types/scaling.h"

namespace bzscr {

/// 1 - top-1 accuracy averaged over the validation classes that have samples; 1 for an empty
/// ensemble.
/// \param ensemble  V in the coordinates of validation.Phi
double validation_error(const EvaluationSet& validation, const Ensemble& ensemble,
                        ScoreForm form = ScoreForm::kPlain);

}  // namespace bzscr
