#include "boost/pace.h"

#include <algorithm>

namespace bzscr {

Vector SharePace::next(const Vector& losses) {
  if (!settled_) {
    share_ = share_ == 0 ? config_.initial_share : std::min(config_.final_share, share_ * config_.share_growth);
    pace_ = pace_for_share(losses, share_, config_.full_share);
    settled_ = share_ >= config_.final_share;
  }
  return select_samples(losses, pace_);
}

}  // namespace bzscr
