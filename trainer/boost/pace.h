#pragma once

#include "boost/config.h"
#include "core/sample_selection.h"

namespace bzscr {

/// How far letting samples in has come.
struct PaceState {
  double share = 0;  ///< let in so far; 0: not started. The final share lets in all that remains.
  bool settled = false;
  Pace pace{};
};

/// The learning pace: the share of samples let in grows by mu from the initial to the final share, and
/// (lambda, zeta) are read off the sorted losses for it. Once the final share is reached they stay, so
/// that from there on s and w minimise one and the same objective in turn.
class SharePace {
 public:
  /// Keeps a reference to the state, and moves it.
  SharePace(const BoostConfig& config, PaceState& state) : config_(config), state_(state) {}

  /// s for the current losses; moves one step on.
  Vector next(const Vector& losses);
  /// No more samples will be let in.
  bool settled() const { return state_.settled; }
  double share() const { return state_.share; }
  /// That of the last next(), which has been called.
  const Pace& pace() const { return state_.pace; }

 private:
  BoostConfig config_;
  PaceState& state_;
};

}  // namespace bzscr
