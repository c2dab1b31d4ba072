#include "solver/validation_error.h"

#include "core/metrics.h"
#include "core/refinement.h"
#include "core/sweep.h"

namespace bzscr {

double validation_error(const EvaluationSet& validation, const Ensemble& ensemble, ScoreForm form) {
  if (ensemble.w.size() == 0) return 1;
  const Factors at = factors(ensemble);
  const Labels predicted = Sweep<float>::predict(validation.X, validation.Phi, at.A, at.B, form);
  return 1 - per_class_accuracy(count_by_class(validation.y, predicted, validation.Phi.rows()));
}

}  // namespace bzscr
