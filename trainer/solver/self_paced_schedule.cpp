#include "solver/self_paced_schedule.h"

#include <algorithm>

namespace bzscr {

Vector SelfPacedSchedule::next(const Vector& losses) {
  if (!state_.settled) {
    state_.share = state_.share == 0
                       ? config_.initial_share
                       : std::min(config_.final_share, state_.share * config_.share_growth);
    state_.parameters = parameters_for_share(losses, state_.share, config_.full_share);
    state_.settled = state_.share >= config_.final_share;
  }
  return select_samples(losses, state_.parameters);
}

}  // namespace bzscr
