#include "solver/config.h"

#include <fmt/format.h>

#include <cmath>

namespace bzscr {
namespace {

constexpr Index kMostIterations = 1000000000;  // a larger number is a typo

}  // namespace

std::string BoostConfig::validate() const {
  const auto wrong = [](const char* name, double value, const char* range) {
    return fmt::format("{} is {}; expected {}", name, value, range);
  };
  if (!(nu > 0 && nu < 1e6)) return wrong("nu", nu, "a number above 0, below a million");
  if (!(ridge >= 0 && ridge < 1e6)) return wrong("ridge", ridge, "0 or more, below a million");
  if (!(beta >= 0 && beta < 1e6))
    return wrong("beta", beta, "a number of at least 0, below a million");
  if (!(initial_share > 0 && initial_share <= 1))
    return wrong("initial_share", initial_share, "a share above 0, at most 1");
  if (!(share_growth > 1 && std::isfinite(share_growth)))
    return wrong("share_growth", share_growth, "a factor above 1");
  if (!(final_share >= initial_share && final_share <= 1))
    return wrong("final_share", final_share, "a share from the initial one to 1");
  if (!(full_share >= 0 && full_share < 1))
    return wrong("full_share", full_share, "a share from 0 to below 1");
  if (!(gap > 0 && gap < 1)) return wrong("gap", gap, "a number between 0 and 1");
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    return wrong("tolerance", tolerance, "a number of at least 0");
  if (min_iterations < 1)
    return wrong("min_iterations", static_cast<double>(min_iterations), "at least 1");
  if (max_iterations < 1)
    return wrong("max_iterations", static_cast<double>(max_iterations), "at least 1");
  if (max_iterations > kMostIterations)
    return wrong("max_iterations", static_cast<double>(max_iterations),
                 "at most a thousand million");
  if (min_iterations > kMostIterations)
    return wrong("min_iterations", static_cast<double>(min_iterations),
                 "at most a thousand million");
  return {};
}

}  // namespace bzscr
