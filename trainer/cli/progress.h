#pragma once

#include "progress_bar.h"
#include "tuning/tune.h"
#include "tuning/tune_baseline.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace bzscr {

/// A setting in words: "rate 0.1, epochs 10".
std::string words_of(Baseline method, const Setting& setting);

/// What a run shows while it works, on standard error: a bar with the time left on a terminal, a line
/// per iteration elsewhere; and every iteration as a line of JSON, where a history file is asked for.
class ProgressLog : public TuningObserver {
 public:
  /// \param quiet    show nothing
  /// \param history  path; empty: none. Throws InputError if it cannot be written.
  ProgressLog(bool quiet, const std::string& history);

  /// A part of the run: "tuning", "validation", "training". Its bar starts at 0.
  void begin(const std::string& phase, double nu, double beta, Index samples);
  /// Clears the bar.
  void end() { bar_.end(); }

  void iteration(const Iteration& at) override;
  /// The same of another method's setting: "rate 0.1, epochs 10".
  void setting(const TriedSetting& tried, Baseline method, Index done, Index of);
  void progress(double fraction) override;
  void grid_point(const GridPoint& point, Index done, Index at_most) override;
  bool stop_requested() const override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using Clock = std::chrono::steady_clock;

  double seconds() const;
  void draw(bool now) { bar_.draw(fraction_, latest_, now); }

  cli::ProgressBar bar_;
  bool lines_;
  std::unique_ptr<std::FILE, Close> history_;
  std::string phase_, latest_;
  double nu_ = 0, beta_ = 0, samples_ = 1, fraction_ = 0;
  bool tuning_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace bzscr
