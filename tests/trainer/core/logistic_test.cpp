#include "core/logistic.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace bzscr {
namespace {

constexpr float kPadding = -1e30f;
constexpr float kLowest = -87;  // below it e^rho leaves single precision's normal range

long double true_softplus(long double t) {
  return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t));
}
long double true_sigmoid(long double t) {
  return t < 0 ? std::exp(t) / (1 + std::exp(t)) : 1 / (1 + std::exp(-t));
}

double relative_error(double got, long double expected) {
  return static_cast<double>(std::fabs((got - expected) / expected));
}

struct Row {
  explicit Row(Index n = kLanes<float>)
      : F(static_cast<std::size_t>(n), 0.0f), Delta(static_cast<std::size_t>(n), kPadding) {}
  LogisticSums sums(float base = 0) {
    return logistic_row(F.data(), Delta.data(), base, static_cast<Index>(F.size()));
  }
  std::vector<float> F, Delta;
};

// ln(1 + e^rho) and sigmoid(rho) as all lanes of a row compute them.
struct Values {
  double softplus, sigmoid;
};
Values at(float rho) {
  Row row;
  for (int lane = 0; lane < kLanes<float>; ++lane)
    row.F[static_cast<std::size_t>(lane)] = rho, row.Delta[static_cast<std::size_t>(lane)] = 0;
  const LogisticSums sums = row.sums();
  for (const float sigma : row.F) CHECK(sigma == row.F[0]);
  CHECK(sums.gradient ==
        doctest::Approx(kLanes<float> * static_cast<double>(row.F[0])).epsilon(1e-6));
  return {sums.loss / kLanes<float>, static_cast<double>(row.F[0])};
}

TEST_CASE(
    "in float, ln(1 + e^rho) and sigmoid(rho) have relative errors below 3e-7 wherever e^rho is a "
    "normal number") {
  std::vector<float> margins = {0.0f,    -0.0f,   1e-45f, -1e-45f, 1e-40f,     -1e-40f,
                                1e-30f,  -1e-30f, 1e-7f,  -1e-7f,  0.6931472f, -0.6931472f,
                                16,      -16,     17.5f,  -17.5f,  86.99f,     -86.99f,
                                kLowest, 88,      89,     104,     1e4f,       1e30f};
  std::mt19937 random(5);
  std::uniform_real_distribution<float> anywhere(kLowest, -kLowest), near_zero(-2, 2);
  for (int n = 0; n < 20000; ++n) margins.push_back(n % 2 ? anywhere(random) : near_zero(random));
  double worst_softplus = 0, worst_sigmoid = 0;
  for (const float rho : margins) {
    const Values got = at(rho);
    worst_softplus = std::max(
        worst_softplus, relative_error(got.softplus, true_softplus(static_cast<long double>(rho))));
    worst_sigmoid = std::max(
        worst_sigmoid, relative_error(got.sigmoid, true_sigmoid(static_cast<long double>(rho))));
  }
  CHECK(worst_softplus < 3e-7);
  CHECK(worst_sigmoid < 3e-7);
}

TEST_CASE("in float, margins below that range contribute less than 2e-38, including padding") {
  for (const float rho :
       {-87.5f, -88.0f, -89.0f, -104.0f, -1e4f, -1e30f, -std::numeric_limits<float>::max()}) {
    CAPTURE(rho);
    const Values got = at(rho);
    CHECK(got.softplus >= 0);
    CHECK(got.softplus < 2e-38);
    CHECK(got.sigmoid >= 0);
    CHECK(got.sigmoid < 2e-38);
  }
}

TEST_CASE("in float, each lane computes its own margin and padding contributes nothing") {
  for (const Index n : {16, 32, 48})
    for (Index used = 1; used <= n; ++used) {
      CAPTURE(n);
      CAPTURE(used);
      Row row(n);
      double loss = 0, gradient = 0;
      std::vector<double> expected;
      const float base = 0.75f;
      for (Index r = 0; r < used; ++r) {
        const auto at = static_cast<std::size_t>(r);
        row.F[at] = 0.5f * static_cast<float>(r % 11) - 2;
        row.Delta[at] = 0.125f * static_cast<float>(r % 8);
        const double rho = static_cast<double>(row.F[at]) - static_cast<double>(base) +
                           static_cast<double>(row.Delta[at]);
        loss += static_cast<double>(true_softplus(rho));
        gradient += static_cast<double>(true_sigmoid(rho));
        expected.push_back(static_cast<double>(true_sigmoid(rho)));
      }
      const LogisticSums sums = row.sums(base);
      CHECK(sums.loss == doctest::Approx(loss).epsilon(4e-7));
      CHECK(sums.gradient == doctest::Approx(gradient).epsilon(4e-7));
      for (Index r = 0; r < n; ++r) {
        const auto sigma = static_cast<double>(row.F[static_cast<std::size_t>(r)]);
        if (r < used)
          CHECK(sigma == doctest::Approx(expected[static_cast<std::size_t>(r)]).epsilon(4e-7));
        else
          CHECK(sigma == 0);  // not nearly so: what is nearly denormal makes products slow
      }
    }
}

TEST_CASE("in double, both functions are correct to rounding for any finite margin") {
  for (const double rho : {0.0, -0.0, 5e-324, -5e-324, 1e-300, -1e-300, 1e-9, -1e-9, 1.0, -1.0,
                           36.0, -36.0, 88.0, -88.0, 700.0, -700.0, 1e4, 1e30, 1e300}) {
    CAPTURE(rho);
    double F = rho;
    const double Delta = 0;
    const LogisticSums sums = logistic_row(&F, &Delta, 0, 1);
    CHECK(relative_error(sums.loss, true_softplus(static_cast<long double>(rho))) < 1e-15);
    CHECK(relative_error(F, true_sigmoid(static_cast<long double>(rho))) < 1e-15);
    CHECK(sums.gradient == F);
    CHECK(logistic(rho).softplus == sums.loss);
    CHECK(logistic(rho).sigmoid == F);
  }
  for (const double rho : {-1e4, -1e30, -1e300}) {
    CHECK(logistic(rho).softplus == 0);
    CHECK(logistic(rho).sigmoid == 0);
  }
}

TEST_CASE("sigmoid is the derivative of softplus, and sigmoid(t) + sigmoid(-t) is one") {
  for (double t = -30; t <= 30; t += 0.37) {
    CAPTURE(t);
    CHECK((logistic(t + 1e-5).softplus - logistic(t - 1e-5).softplus) / 2e-5 ==
          doctest::Approx(logistic(t).sigmoid).epsilon(1e-6));
    CHECK(logistic(t).sigmoid + logistic(-t).sigmoid == doctest::Approx(1).epsilon(1e-15));
  }
}

}  // namespace
}  // namespace bzscr
