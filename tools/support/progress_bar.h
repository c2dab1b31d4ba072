#pragma once

#include <chrono>
#include <string>

namespace bzscr::cli {

/// A bar on standard error that is redrawn in place, with the time left; nothing where that is no
/// terminal.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar() { end(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool shown() const { return shown_; }
  void begin(const std::string& title);
  /// Ten times a second at most, unless it is to be drawn now.
  void draw(double fraction, const std::string& beside = "", bool now = false);
  void end();  ///< takes it away

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  std::string title_;
  Clock::time_point start_, drawn_;
};

}  // namespace bzscr::cli
