#include "tuning/training_split.h"

#include "solver/base.h"

namespace bzscr {

SplitProblem training_split(const Dataset& data, const Partition& partition, const Matrix& Delta,
                            const ClassSplit& classes, const Scalings& scalings,
                            const BoostConfig& config, const Execution& execution) {
  SplitProblem split =
      split_problem(data, partition, Delta, classes, scalings, execution,
                    config.score == ScoreForm::kPlain ? Origin::kMean : Origin::kTransform);
  if (!config.base) return split;
  Problem& problem = split.problem;
  const Factors R = ridge_regression(problem, problem.Phi.topRows(problem.seen));
  const double a = base_scale(problem, R);
  if (a > 0) problem.base = {a * R.A, R.B};
  return split;
}

}  // namespace bzscr
