#include "solver/self_paced_schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace bzscr {
namespace {

Vector random_losses(unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> sizes;
  Vector losses(1000);
  for (double& each : losses) each = sizes(random);
  return losses;
}

double share_of(const Vector& s) {
  return static_cast<double>((s.array() > 0).count()) / static_cast<double>(s.size());
}

TEST_CASE(
    "the share of selected samples grows by the factor mu from the initial to the final share, "
    "whatever the losses are") {
  BoostConfig config;
  config.initial_share = 0.2;
  config.share_growth = 1.5;
  config.final_share = 0.9;
  ScheduleState state;
  SelfPacedSchedule schedule(config, state);
  double expected = 0.2;
  for (unsigned step = 0; step < 10 && !schedule.settled(); ++step) {
    const Vector s = schedule.next(random_losses(step));
    CHECK(schedule.share() == doctest::Approx(expected));
    CHECK(share_of(s) == doctest::Approx(expected).epsilon(0.005));
    CHECK(s.minCoeff() >= 0);
    CHECK(s.maxCoeff() == 1);
    expected = std::min(0.9, expected * 1.5);
  }
  CHECK(schedule.settled());
  CHECK(schedule.share() == 0.9);
}

TEST_CASE("once the final share is reached, the same loss always gets the same weight") {
  BoostConfig config;
  config.initial_share = 0.9;
  config.final_share = 0.95;
  ScheduleState state;
  SelfPacedSchedule schedule(config, state);
  const Vector losses = random_losses(1);
  while (!schedule.settled()) schedule.next(losses);
  const Vector s = schedule.next(losses);
  const Vector harder = 2 * losses, easier = 0.5 * losses;
  CHECK(share_of(schedule.next(harder)) < share_of(s));
  CHECK(share_of(schedule.next(easier)) > share_of(s));
  CHECK(schedule.next(losses) == s);
}

TEST_CASE("a run that starts from a trained model selects the final share at once") {
  ScheduleState state{1, false, {}};
  SelfPacedSchedule schedule(BoostConfig(), state);
  CHECK_FALSE(schedule.settled());
  CHECK(share_of(schedule.next(random_losses(2))) == 1);
  CHECK(schedule.settled());
}

TEST_CASE("a schedule with equal initial and final share is settled after one step") {
  BoostConfig config;
  config.initial_share = config.final_share = 0.5;
  ScheduleState state;
  SelfPacedSchedule schedule(config, state);
  CHECK(share_of(schedule.next(random_losses(3))) == doctest::Approx(0.5).epsilon(0.005));
  CHECK(schedule.settled());
}

}  // namespace
}  // namespace bzscr
