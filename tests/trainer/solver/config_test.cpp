#include "solver/config.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>

namespace bzscr {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("the defaults are valid, and so is every closed end of a range") {
  CHECK(BoostConfig().validate().empty());
  BoostConfig config;
  config.beta = 0;
  config.initial_share = 1;
  config.full_share = 0;
  config.tolerance = 0;
  config.min_iterations = config.max_iterations = 1;
  CHECK(config.validate().empty());
}

TEST_CASE("an invalid value is reported with the name of the field, the value and the range") {
  const struct {
    std::function<void(BoostConfig&)> spoil;
    const char* message;
  } bad[] = {
      {[](auto& c) { c.nu = 0; }, "nu is 0; expected a number above 0, below a million"},
      {[](auto& c) { c.nu = -1e-3; }, "nu is -0.001; expected a number above 0, below a million"},
      {[](auto& c) { c.nu = kNaN; }, "nu is nan; expected a number above 0, below a million"},
      {[](auto& c) { c.nu = kInfinity; }, "nu is inf; expected a number above 0, below a million"},
      {[](auto& c) { c.beta = -0.1; },
       "beta is -0.1; expected a number of at least 0, below a million"},
      {[](auto& c) { c.beta = kNaN; },
       "beta is nan; expected a number of at least 0, below a million"},
      {[](auto& c) { c.initial_share = 0; },
       "initial_share is 0; expected a share above 0, at most 1"},
      {[](auto& c) { c.initial_share = 1.01; },
       "initial_share is 1.01; expected a share above 0, at most 1"},
      {[](auto& c) { c.share_growth = 1; }, "share_growth is 1; expected a factor above 1"},
      {[](auto& c) { c.share_growth = kNaN; }, "share_growth is nan; expected a factor above 1"},
      {[](auto& c) { c.final_share = 0.4; },
       "final_share is 0.4; expected a share from the initial one to 1"},
      {[](auto& c) { c.final_share = 1.1; },
       "final_share is 1.1; expected a share from the initial one to 1"},
      {[](auto& c) { c.full_share = 1; }, "full_share is 1; expected a share from 0 to below 1"},
      {[](auto& c) { c.full_share = -0.1; },
       "full_share is -0.1; expected a share from 0 to below 1"},
      {[](auto& c) { c.gap = 0; }, "gap is 0; expected a number between 0 and 1"},
      {[](auto& c) { c.gap = 1; }, "gap is 1; expected a number between 0 and 1"},
      {[](auto& c) { c.tolerance = -1e-9; },
       "tolerance is -1e-09; expected a number of at least 0"},
      {[](auto& c) { c.tolerance = kNaN; }, "tolerance is nan; expected a number of at least 0"},
      {[](auto& c) { c.min_iterations = 0; }, "min_iterations is 0; expected at least 1"},
      {[](auto& c) { c.max_iterations = -3; }, "max_iterations is -3; expected at least 1"},
  };
  for (const auto& one : bad) {
    BoostConfig config;
    one.spoil(config);
    CHECK(config.validate() == one.message);
  }
}

}  // namespace
}  // namespace bzscr
