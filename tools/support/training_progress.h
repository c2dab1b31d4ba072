#pragma once

#include "support/progress_bar.h"

#include <bzscr_train/bzscr_train.hpp>

#include <string>

namespace bzscr::cli {

/// Shows a training on standard error while it runs: a bar with the time left on a terminal, a line
/// per iteration elsewhere.
class TrainingProgress : public train::Events {
 public:
  /// \param program  begins notes
  /// \param quiet    show nothing but notes
  TrainingProgress(std::string program, bool quiet);

  void phase(const std::string& name) override;
  void progress(double fraction) override;
  void iteration(const std::string& phase, const train::IterationEvent& at) override;
  void trial(const train::TrialEvent& tried) override;
  void note(const std::string& text) override;

 private:
  void draw(bool now) { bar_.draw(fraction_, latest_, now); }

  std::string program_;
  ProgressBar bar_;
  bool lines_;
  std::string phase_, latest_;
  double fraction_ = 0;
};

}  // namespace bzscr::cli
