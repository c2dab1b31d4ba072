#pragma once

#include "core/sample_selection.h"
#include "solver/config.h"

namespace bzscr {

/// How far letting samples in has come.
struct ScheduleState {
  double share = 0;  ///< let in so far; 0: not started. The final share lets in all that remains.
  bool settled = false;
  SelectionParameters parameters{};
};

/// The learning pace: the share of samples let in grows by mu from the initial to the final share,
/// and (lambda, zeta) are read off the sorted losses for it. Once the final share is reached they
/// stay, so that from there on s and w minimise one and the same objective in turn.
class SelfPacedSchedule {
 public:
  /// Keeps a reference to the state, and moves it.
  SelfPacedSchedule(const BoostConfig& config, ScheduleState& state)
      : config_(config), state_(state) {}

  /// s for the current losses; moves one step on.
  Vector next(const Vector& losses);
  /// No more samples will be let in.
  bool settled() const { return state_.settled; }
  double share() const { return state_.share; }
  /// That of the last next(), which has been called.
  const SelectionParameters& parameters() const { return state_.parameters; }

 private:
  BoostConfig config_;
  ScheduleState& state_;
};

}  // namespace bzscr
