#pragma once

#include "core/sample_selection.h"
#include "solver/config.h"

namespace bzscr {

/// The state of a self-paced schedule.
struct ScheduleState {
  double share = 0;      ///< share of samples selected so far, in [0, 1]; 0: not started
  bool settled = false;  ///< the final share has been reached
  SelectionParameters parameters{};
};

/// The self-paced schedule: the share of selected samples grows by the factor mu from the initial
/// to the final share, and (lambda, zeta) are computed for it from the sorted losses. Once the
/// final share is reached they are constant, so that from then on s and w minimise one fixed
/// objective.
class SelfPacedSchedule {
 public:
  /// Keeps a reference to the state and updates it.
  SelfPacedSchedule(const BoostConfig& config, ScheduleState& state)
      : config_(config), state_(state) {}

  /// Advances by one step and returns s for the current losses (N).
  Vector next(const Vector& losses);
  /// Whether the final share has been reached.
  bool settled() const { return state_.settled; }
  double share() const { return state_.share; }
  /// The parameters of the last next(), which must have been called.
  const SelectionParameters& parameters() const { return state_.parameters; }

 private:
  BoostConfig config_;
  ScheduleState& state_;
};

}  // namespace bzscr
