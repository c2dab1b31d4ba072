#pragma once

#include "cli/history.h"
#include "support/progress_bar.h"
#include "tuning/tune.h"
#include "tuning/tune_baseline.h"

#include <chrono>
#include <string>

namespace bzscr {

/// A setting in words: "rate 0.1, epochs 10".
std::string words_of(Baseline method, const Setting& setting);

/// Errors of an iteration's weak models, averaged per class; -1: not measured.
struct IterationErrors {
  double training = -1, validation = -1, test = -1;
};

/// What a run shows while it works, on standard error: a bar with the time left on a terminal, a
/// line per iteration elsewhere. The same goes to the history.
class ProgressLog {
 public:
  /// \param quiet    show nothing
  /// \param history  lives elsewhere
  ProgressLog(bool quiet, History& history);

  /// A part of the run: "tuning", "validation", "training", "calibration". Its bar starts at 0.
  void begin(const std::string& phase, double nu, double beta, Index samples);
  /// Clears the bar.
  void end() { bar_.end(); }

  void iteration(const Iteration& at, const IterationErrors& errors);
  void progress(double fraction);
  void grid_point(const GridPoint& point, Index done, Index at_most);
  /// The same of another method's setting.
  void setting(const TriedSetting& tried, Baseline method, Index done, Index of);
  void note(const std::string& sentence);

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const;
  void draw(bool now) { bar_.draw(fraction_, latest_, now); }

  cli::ProgressBar bar_;
  bool lines_;
  History& history_;
  std::string phase_, latest_;
  double nu_ = 0, beta_ = 0, fraction_ = 0;
  Index samples_ = 1;
  bool tuning_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace bzscr
