#include "baselines/devise.h"

#include <numeric>
#include <vector>

namespace bzscr {

Matrix devise(const Problem& problem, const SgdConfig& config, const AfterEpoch& after_epoch) {
  std::vector<Index> classes(static_cast<std::size_t>(problem.seen));
  std::iota(classes.begin(), classes.end(), Index{0});

  const auto step = [&](SgdState& at) {
    const float own = at.score(at.label());
    for (Index left = at.seen(); left > 0; --left) {  // incremental Fisher-Yates shuffle
      std::swap(classes[left - 1], classes[at.draw(left)]);
      const Index r = classes[left - 1];
      if (r == at.label() || static_cast<float>(kDeviseMargin) + at.score(r) <= own) continue;
      return at.move(r, 1);
    }
  };
  return descend(problem, config, step, after_epoch);
}

}  // namespace bzscr
