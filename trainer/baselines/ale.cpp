#include "baselines/ale.h"

namespace bzscr {

Matrix ale(const Problem& problem, const SgdConfig& config, const AfterEpoch& after_epoch) {
  const Index others = problem.seen - 1;
  Vector beta = Vector::Zero(problem.seen);
  for (Index r = 1; r < problem.seen; ++r) beta[r] = beta[r - 1] + 1 / static_cast<double>(r);

  const auto step = [&](SgdState& at) {
    const float own = at.score(at.label());
    for (Index k = 1; k <= others; ++k) {
      const Index drawn = at.draw(others), r = drawn + (drawn >= at.label());
      if (at.Delta(r) + at.score(r) <= own) continue;
      return at.move(r, beta[others / k]);
    }
  };
  return descend(problem, config, step, after_epoch);
}

}  // namespace bzscr
