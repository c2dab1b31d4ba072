#include "core/sample_selection.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace bzscr {
namespace {

Vector random_losses(Index N, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> sizes(1, 1);
  Vector losses(N);
  for (double& each : losses) each = sizes(random);
  return losses;
}

Index selected(const Vector& s) { return (s.array() > 0).count(); }

TEST_CASE(
    "sample weights of Eq. (8) are 1 up to zeta lambda / (zeta + lambda), 0 from lambda on, and "
    "strictly between in between") {
  const SelectionParameters parameters{4, 2};
  const double full = 2 * 4.0 / (2 + 4);
  const Vector losses = (Vector(8) << 1e-300, 1, full, full + 1e-9, 2, 3.999, 4, 1e300).finished();
  const Vector s = select_samples(losses, parameters);
  CHECK(s[0] == 1);
  CHECK(s[1] == 1);
  CHECK(s[2] == 1);
  CHECK(s[3] == doctest::Approx(1).epsilon(1e-8));
  CHECK(s[3] < 1);
  CHECK(s[4] == doctest::Approx(2.0 / 2 - 2.0 / 4));
  CHECK(s[5] > 0);
  CHECK(s[5] < 1e-3);
  CHECK(s[6] == 0);
  CHECK(s[7] == 0);
}

TEST_CASE("sample weights are in [0, 1] and never increase with the loss") {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const double share : {0.01, 0.3, 0.77, 1.0})
      for (const double full_share : {0.0, 0.5, 0.99, 0.999999}) {
        Vector losses = random_losses(200, seed);
        std::sort(losses.begin(), losses.end());
        const Vector s = select_samples(losses, parameters_for_share(losses, share, full_share));
        CHECK(s.minCoeff() >= 0);
        CHECK(s.maxCoeff() <= 1);
        for (Index i = 0; i + 1 < s.size(); ++i) CHECK(s[i] >= s[i + 1]);
      }
}

TEST_CASE("no s in [0, 1] gives a smaller s l + g(s) than the selected one") {
  const SelectionParameters settings[] = {{4, 2}, {0.5, 3}, {10, 0.1}, {1, 1e6}};
  for (const SelectionParameters& parameters : settings) {
    const auto cost = [&](double s, double l) {
      return s * l - parameters.zeta * std::log(s + parameters.zeta / parameters.lambda);
    };
    for (double l = 0.01; l < 12; l *= 1.3) {
      CAPTURE(parameters.lambda);
      CAPTURE(l);
      const double s = select_samples(Vector::Constant(1, l), parameters)[0];
      for (int step = 0; step <= 1000; ++step)
        CHECK(cost(s, l) <= cost(step / 1000.0, l) + 1e-12 * (1 + std::fabs(cost(s, l))));
    }
  }
}

TEST_CASE("the requested share is selected, rounded up to whole samples") {
  for (const Index N : {1, 2, 7, 100, 1001})
    for (const double share : {0.001, 0.1, 0.5, 0.55, 0.9, 1.0}) {
      CAPTURE(N);
      CAPTURE(share);
      const Vector losses = random_losses(N, 3);
      const Index count =
          selected(select_samples(losses, parameters_for_share(losses, share, 0.8)));
      const double asked = share * static_cast<double>(N);
      CHECK(static_cast<double>(count) >= std::max(1.0, asked - 1e-9));
      CHECK(static_cast<double>(count) < std::max(1.0, asked) + 1 + 1e-9);
    }
}

TEST_CASE("the requested share of the selected samples has weight 1") {
  const Vector losses = random_losses(1000, 4);
  for (const double full_share : {0.1, 0.5, 0.8, 0.95}) {
    CAPTURE(full_share);
    const Vector s = select_samples(losses, parameters_for_share(losses, 0.6, full_share));
    CHECK(static_cast<double>((s.array() > 1 - 1e-9).count()) ==
          doctest::Approx(600 * full_share).epsilon(0.003));
  }
}

TEST_CASE("equal losses are selected together") {
  Vector losses = Vector::Constant(10, 2.5);
  for (const double share : {0.05, 0.5, 1.0}) {
    const Vector s = select_samples(losses, parameters_for_share(losses, share, 0.8));
    CHECK(selected(s) == 10);
    CHECK(s.minCoeff() == s.maxCoeff());
  }
  losses << 1, 1, 1, 2, 2, 2, 2, 3, 3, 3;
  CHECK(selected(select_samples(losses, parameters_for_share(losses, 0.5, 0.5))) == 7);
}

TEST_CASE("a single sample is always selected") {
  for (const double loss : {1e-8, 0.7, 1e8}) {
    const Vector losses = Vector::Constant(1, loss);
    for (const double full_share : {0.0, 0.8}) {
      const SelectionParameters parameters = parameters_for_share(losses, 0.5, full_share);
      CHECK(std::isfinite(parameters.lambda));
      CHECK(std::isfinite(parameters.zeta));
      CHECK(select_samples(losses, parameters)[0] > 0.5);
    }
  }
}

TEST_CASE("a share of 1 selects every sample, including the one of highest loss") {
  const Vector losses = random_losses(500, 5);
  const Vector s = select_samples(losses, parameters_for_share(losses, 1, 0.8));
  CHECK(selected(s) == 500);
}

TEST_CASE(
    "the value of a selected sample is the minimum of Eq. (8), and its weight is the derivative of "
    "that value") {
  const SelectionParameters parameters{3, 4};
  const auto g = [&](double s) {
    return -parameters.zeta * std::log(s + parameters.zeta / parameters.lambda);
  };
  const SampleWeights selected(parameters);
  for (const double l : {0.1, 1.0, 1.7, 1.72, 2.0, 2.5, 2.99, 3.0, 3.01, 50.0}) {
    CAPTURE(l);
    double least = 1e300;
    for (int i = 0; i <= 100000; ++i) least = std::min(least, i * 1e-5 * l + g(i * 1e-5));
    CHECK(selected.value(0, l) == doctest::Approx(least - g(1)).epsilon(1e-6));
    const double gradient = (selected.value(0, l + 1e-6) - selected.value(0, l - 1e-6)) / 2e-6;
    CHECK(std::fabs(selected.weight(0, l) - gradient) < 1e-5);
  }
}

TEST_CASE("given weights are used unchanged") {
  const Vector s = (Vector(3) << 0, 0.25, 1).finished();
  const SampleWeights given(s);
  for (Index i = 0; i < 3; ++i) {
    CHECK(given.weight(i, 7) == s[i]);
    CHECK(given.value(i, 7) == 7 * s[i]);
  }
}

}  // namespace
}  // namespace bzscr
