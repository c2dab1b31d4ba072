#include "cli/progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bzscr {

ProgressLog::ProgressLog(bool quiet, History& history)
    : bar_(!quiet), lines_(!quiet && !bar_.shown()), history_(history) {}

void ProgressLog::begin(const std::string& phase, double nu, double beta, Index samples) {
  phase_ = phase;
  tuning_ = phase == "tuning";
  nu_ = nu;
  beta_ = beta;
  samples_ = samples;
  fraction_ = 0;
  latest_.clear();
  bar_.begin(phase);
  draw(true);
}

double ProgressLog::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void ProgressLog::iteration(const Iteration& at, const IterationErrors& errors) {
  const std::string validation =
      errors.validation < 0 ? "" : fmt::format("  validation error {:.3f}", errors.validation);
  latest_ =
      fmt::format("gap {:.1e}  weak models {}{}", at.relative_gap, at.weak_models, validation);
  if (lines_)
    fmt::print(
        stderr,
        "{:<11} {:>4}  objective {:.6f}  gap {:.1e}  weak models {:>3}  selected {:3.0f}%{}\n",
        phase_, at.number, at.objective / static_cast<double>(samples_), at.relative_gap,
        at.weak_models, 100 * at.selected, validation);
  history_.add({{"phase", phase_},
                {"iteration", at.number},
                {"nu", nu_},
                {"beta", beta_},
                {"samples", samples_},
                {"violation", at.violation},
                {"objective", at.objective},
                {"lower_bound", at.lower_bound},
                {"relative_gap", at.relative_gap},
                {"weak_models", at.weak_models},
                {"selected", at.selected},
                {"training_error", measured(errors.training)},
                {"validation_error", measured(errors.validation)},
                {"test_error", measured(errors.test)},
                {"evaluations", at.evaluations},
                {"seconds", seconds()}});
  draw(false);
}

void ProgressLog::grid_point(const GridPoint& point, Index done, Index at_most) {
  fraction_ = static_cast<double>(done) / static_cast<double>(at_most);
  latest_ = fmt::format("nu {:.0e}  beta {}  validation error {:.3f}", point.nu, point.beta,
                        point.validation_error);
  if (lines_) fmt::print(stderr, "{:<11} {}  weak models {}\n", phase_, latest_, point.weak_models);
  history_.add({{"phase", phase_},
                {"nu", point.nu},
                {"beta", point.beta},
                {"validation_error", point.validation_error},
                {"weak_models", point.weak_models},
                {"evaluations", point.evaluations},
                {"seconds", seconds()}});
  draw(true);
}

std::string words_of(Baseline method, const Setting& setting) {
  std::string words;
  for (std::size_t j = 0; j < setting.size(); ++j)
    words += fmt::format("{}{} {:g}", j == 0 ? "" : ", ",
                         baseline_method(method).parameters[j].name, setting[j]);
  return words;
}

void ProgressLog::setting(const TriedSetting& tried, Baseline method, Index done, Index of) {
  fraction_ = static_cast<double>(done) / static_cast<double>(of);
  latest_ = fmt::format("{}  validation error {:.3f}", words_of(method, tried.setting),
                        tried.validation_error);
  if (lines_) fmt::print(stderr, "{:<10} {}\n", phase_, latest_);
  nlohmann::ordered_json line = {
      {"phase", phase_}, {"validation_error", tried.validation_error}, {"seconds", seconds()}};
  for (std::size_t j = 0; j < tried.setting.size(); ++j)
    line[baseline_method(method).parameters[j].name] = tried.setting[j];
  history_.add(line);
  draw(true);
}

void ProgressLog::note(const std::string& sentence) {
  if (!lines_ && !bar_.shown()) return;
  bar_.end();
  fmt::print(stderr, "bzscr-train: note: {}\n", sentence);
}

void ProgressLog::progress(double fraction) {
  if (tuning_) return;
  fraction_ = fraction;
  draw(false);
}

}  // namespace bzscr
