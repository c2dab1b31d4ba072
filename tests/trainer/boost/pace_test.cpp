#include "boost/pace.h"

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

double share_of(const Vector& s) { return static_cast<double>((s.array() > 0).count()) / static_cast<double>(s.size()); }

TEST_CASE("the share of samples let in grows by mu from the initial to the final share, whatever the losses do") {
  BoostConfig config;
  config.initial_share = 0.2;
  config.share_growth = 1.5;
  config.final_share = 0.9;
  PaceState state;
  SharePace pace(config, state);
  double expected = 0.2;
  for (unsigned step = 0; step < 10 && !pace.settled(); ++step) {
    const Vector s = pace.next(random_losses(step));
    CHECK(pace.share() == doctest::Approx(expected));
    CHECK(share_of(s) == doctest::Approx(expected).epsilon(0.005));
    CHECK(s.minCoeff() >= 0);
    CHECK(s.maxCoeff() == 1);
    expected = std::min(0.9, expected * 1.5);
  }
  CHECK(pace.settled());
  CHECK(pace.share() == 0.9);
}

TEST_CASE("once the final share is reached, the same loss always gets the same weight") {
  BoostConfig config;
  config.initial_share = 0.9;
  config.final_share = 0.95;
  PaceState state;
  SharePace pace(config, state);
  const Vector losses = random_losses(1);
  while (!pace.settled()) pace.next(losses);
  const Vector s = pace.next(losses);
  const Vector harder = 2 * losses, easier = 0.5 * losses;
  CHECK(share_of(pace.next(harder)) < share_of(s));
  CHECK(share_of(pace.next(easier)) > share_of(s));
  CHECK(pace.next(losses) == s);
}

TEST_CASE("a run that starts from a trained model lets the final share in at once") {
  PaceState state{1, false, {}};
  SharePace pace(BoostConfig(), state);
  CHECK_FALSE(pace.settled());
  CHECK(share_of(pace.next(random_losses(2))) == 1);
  CHECK(pace.settled());
}

TEST_CASE("where initial and final share are the same, the pace has settled after one step") {
  BoostConfig config;
  config.initial_share = config.final_share = 0.5;
  PaceState state;
  SharePace pace(config, state);
  CHECK(share_of(pace.next(random_losses(3))) == doctest::Approx(0.5).epsilon(0.005));
  CHECK(pace.settled());
}

}  // namespace
}  // namespace bzscr
