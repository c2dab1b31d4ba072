#include "cli/progress.h"

#include "cli/interrupt.h"
#include "types/errors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

namespace bzscr {
namespace {

constexpr int kBarWidth = 24;
constexpr auto kRedraw = std::chrono::milliseconds(100);

std::string duration(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  if (s < 100) return fmt::format("{} s", s);
  if (s < 6000) return fmt::format("{} min", (s + 59) / 60);
  return fmt::format("{} h", (s + 3599) / 3600);
}

nlohmann::json or_null(double value, bool known) { return known ? nlohmann::json(value) : nlohmann::json(); }

}  // namespace

ProgressLog::ProgressLog(bool quiet, const std::string& history)
    : bar_(!quiet && isatty(STDERR_FILENO) == 1), lines_(!quiet && !bar_) {
  if (history.empty()) return;
  history_.reset(std::fopen(history.c_str(), "w"));
  if (!history_) throw InputError(history, std::string("cannot be written: ") + std::strerror(errno));
}

ProgressLog::~ProgressLog() { end(); }

void ProgressLog::begin(const std::string& phase, double nu, double beta, Index samples) {
  end();
  phase_ = phase;
  tuning_ = phase == "tuning";
  nu_ = nu;
  beta_ = beta;
  samples_ = static_cast<double>(samples);
  fraction_ = 0;
  latest_.clear();
  phase_start_ = Clock::now();
  draw(true);
}

void ProgressLog::end() {
  if (bar_ && !phase_.empty()) std::fputs("\r\x1b[K", stderr);
  phase_.clear();
}

double ProgressLog::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void ProgressLog::iteration(const Iteration& at) {
  const std::string validation = at.validation_error < 0 ? "" : fmt::format("  validation error {:.3f}", at.validation_error);
  latest_ = fmt::format("gap {:.1e}  weak models {}{}", at.relative_gap, at.weak_models, validation);
  if (lines_)
    fmt::print(stderr, "{:<10} {:>4}  objective {:.6f}  gap {:.1e}  weak models {:>3}  selected {:3.0f}%{}\n", phase_, at.number,
               at.objective / samples_, at.relative_gap, at.weak_models, 100 * at.selected, validation);
  if (history_) {
    const nlohmann::json line = {
        {"phase", phase_}, {"iteration", at.number}, {"nu", nu_}, {"beta", beta_}, {"violation", at.violation},
        {"objective", at.objective}, {"lower_bound", at.lower_bound}, {"relative_gap", at.relative_gap},
        {"weak_models", at.weak_models}, {"selected", at.selected},
        {"validation_error", or_null(at.validation_error, at.validation_error >= 0)},
        {"evaluations", at.evaluations}, {"seconds", seconds()}};
    fmt::print(history_.get(), "{}\n", line.dump());
    std::fflush(history_.get());
  }
  draw(false);
}

void ProgressLog::grid_point(const GridPoint& point, Index done, Index at_most) {
  fraction_ = static_cast<double>(done) / static_cast<double>(at_most);
  latest_ = fmt::format("nu {:.0e}  beta {}  validation error {:.3f}", point.nu, point.beta, point.validation_error);
  if (lines_) fmt::print(stderr, "{:<10} {}  weak models {}\n", phase_, latest_, point.weak_models);
  if (history_) {
    const nlohmann::json line = {{"phase", phase_}, {"nu", point.nu}, {"beta", point.beta},
                                 {"validation_error", point.validation_error}, {"weak_models", point.weak_models},
                                 {"evaluations", point.evaluations}, {"seconds", seconds()}};
    fmt::print(history_.get(), "{}\n", line.dump());
    std::fflush(history_.get());
  }
  draw(true);
}

void ProgressLog::progress(double fraction) {
  if (tuning_) return;
  fraction_ = fraction;
  draw(false);
}

bool ProgressLog::stop_requested() const { return interrupted(); }

void ProgressLog::draw(bool now) {
  if (!bar_ || (!now && Clock::now() - drawn_ < kRedraw)) return;
  drawn_ = Clock::now();
  const double elapsed = std::chrono::duration<double>(drawn_ - phase_start_).count();
  const std::string left = fraction_ > 0.02 ? "about " + duration(elapsed * (1 - fraction_) / fraction_) + " left" : "";
  const int full = static_cast<int>(kBarWidth * fraction_);
  fmt::print(stderr, "\r\x1b[K{} [{:=<{}}{:<{}}] {:3.0f}%  {:<16} {}", phase_, "", full, "", kBarWidth - full, 100 * fraction_, left,
             latest_);
  std::fflush(stderr);
}

}  // namespace bzscr
