#include "support/training_progress.h"

#include "support/program.h"

#include <fmt/format.h>

namespace bzscr::cli {

TrainingProgress::TrainingProgress(std::string program, bool quiet)
    : program_(std::move(program)), bar_(!quiet), lines_(!quiet && !bar_.shown()) {}

void TrainingProgress::phase(const std::string& name) {
  phase_ = name;
  fraction_ = 0;
  latest_.clear();
  if (name.empty()) return bar_.end();
  bar_.begin(name);
  draw(true);
}

void TrainingProgress::progress(double fraction) {
  if (phase_ == "tuning") return;  // its trials say how far it is
  fraction_ = fraction;
  draw(false);
}

void TrainingProgress::iteration(const std::string& phase, const train::IterationEvent& at) {
  const std::string validation =
      at.validation_error < 0 ? "" : fmt::format("  validation error {:.3f}", at.validation_error);
  latest_ =
      fmt::format("gap {:.1e}  weak models {}{}", at.relative_gap, at.weak_models, validation);
  if (lines_)
    print_error(fmt::format(
        "{:<11} {:>4}  objective {:.6f}  gap {:.1e}  weak models {:>3}  selected {:3.0f}%{}\n",
        phase, at.number, at.objective / static_cast<double>(at.samples), at.relative_gap,
        at.weak_models, 100 * at.selected, validation));
  draw(false);
}

void TrainingProgress::trial(const train::TrialEvent& tried) {
  fraction_ = static_cast<double>(tried.done) / static_cast<double>(tried.at_most);
  latest_.clear();
  for (const auto& [name, value] : tried.parameters)
    latest_ += fmt::format("{} {:g}  ", name, value);
  latest_ += fmt::format("validation error {:.3f}", tried.validation_error);
  if (lines_)
    print_error(fmt::format(
        "{:<11} {}{}\n", phase_, latest_,
        tried.weak_models > 0 ? fmt::format("  weak models {}", tried.weak_models) : ""));
  draw(true);
}

void TrainingProgress::note(const std::string& text) {
  bar_.end();
  print_note(program_.c_str(), text);
}

}  // namespace bzscr::cli
