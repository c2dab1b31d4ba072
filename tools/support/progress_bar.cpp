#include "support/progress_bar.h"

#include "support/program.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cmath>

namespace bzscr::cli {
namespace {

std::string duration(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  if (s < 100) return fmt::format("{} s", s);
  if (s < 6000) return fmt::format("{} min", (s + 59) / 60);
  return fmt::format("{} h", (s + 3599) / 3600);
}

}  // namespace

ProgressBar::ProgressBar(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

void ProgressBar::begin(const std::string& title) {
  end();
  title_ = title;
  start_ = Clock::now();
}

void ProgressBar::draw(double fraction, const std::string& beside, bool now) {
  constexpr int kWidth = 24;
  constexpr auto kRedraw = std::chrono::milliseconds(100);
  if (!shown_ || (!now && Clock::now() - drawn_ < kRedraw)) return;
  drawn_ = Clock::now();
  const double elapsed = std::chrono::duration<double>(drawn_ - start_).count();
  const std::string left =
      fraction > 0.02 ? "about " + duration(elapsed * (1 - fraction) / fraction) + " left" : "";
  const int full = static_cast<int>(kWidth * fraction);
  print_error(fmt::format("\r\x1b[K{} [{:=<{}}{:<{}}] {:3.0f}%  {:<16} {}", title_, "", full, "",
                          kWidth - full, 100 * fraction, left, beside));
}

void ProgressBar::end() {
  if (shown_ && !title_.empty()) print_error("\r\x1b[K");
  title_.clear();
}

}  // namespace bzscr::cli
