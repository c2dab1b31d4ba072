#pragma once

#include "boost/config.h"
#include "core/sample_selection.h"

namespace bzscr {

/// The learning pace: the share of samples let in grows by mu from the initial to the final share, and
/// (lambda, zeta) are read off the sorted losses for it. Once the final share is reached they stay, so
/// that from there on s and w minimise one and the same objective in turn.
class SharePace {
 public:
  explicit SharePace(const BoostConfig& config) : config_(config) {}

  /// s for the current losses; moves one step on.
  Vector next(const Vector& losses);
  /// Straight to the final share: for a run that starts from a trained model.
  void skip_annealing() { share_ = config_.final_share; }
  /// No more samples will be let in.
  bool settled() const { return settled_; }
  double share() const { return share_; }
  /// That of the last next(), which has been called.
  const Pace& pace() const { return pace_; }

 private:
  BoostConfig config_;
  double share_ = 0;  // 0: not started
  bool settled_ = false;
  Pace pace_{};
};

}  // namespace bzscr
