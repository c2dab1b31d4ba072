#include "baselines/sje.h"

namespace bzscr {

Matrix sje(const Problem& problem, const SgdConfig& config, const AfterEpoch& after_epoch) {
  const auto step = [](SgdState& at) {
    const VectorF& F = at.all_scores();
    Index worst = at.label();
    float most = F[worst];
    for (Index r = 0; r < at.seen(); ++r) {
      const float violation = at.Delta(r) + F[r];
      if (violation <= most) continue;
      most = violation;
      worst = r;
    }
    if (worst != at.label()) at.move(worst, 1);
  };
  return descend(problem, config, step, after_epoch);
}

}  // namespace bzscr
