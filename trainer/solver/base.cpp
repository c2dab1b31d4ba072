#include "solver/base.h"

#include "core/lapack.h"
#include "core/sweep.h"

#include <cmath>
#include <vector>

namespace bzscr {
namespace {

constexpr double kRidge = 0.01;
constexpr double kRank = 1e-6;      // smaller singular values of the embeddings are rounding
constexpr double kFlat = 1e-4;      // d loss / d ln a per sample that counts as zero
constexpr double kFine = 0.01;      // of ln a
constexpr double kStep = 1.386294;  // of ln a: a factor of 4
constexpr int kMostSteps = 20;

}  // namespace

Factors ridge_regression(const Problem& problem, const Matrix& E) {
  Vector counts = Vector::Zero(problem.seen);
  for (const std::int32_t y : problem.y) ++counts[y];
  std::vector<Index> present;
  for (Index r = 0; r < problem.seen; ++r)
    if (counts[r] > 0) present.push_back(r);
  const Matrix sums =
      Sweep<float>(problem, 0).class_sums(Vector::Ones(problem.samples()))(present, Eigen::all);
  Matrix M = counts(present).cwiseInverse().asDiagonal() * sums, P = E(present, Eigen::all);
  M.rowwise() -= M.colwise().mean();
  P.rowwise() -= P.colwise().mean();
  // R^T = (P^T P + C ridge I)^-1 P^T M, by P = L diag(sigma) V^T.
  const auto [L, sigma, V] = singular_triplets(P);
  const double ridge = kRidge * P.squaredNorm();
  const Index keep = sigma[0] > 0 ? (sigma.array() > kRank * sigma[0]).count() : 0;
  const Vector gain = sigma.head(keep).array() / (sigma.head(keep).array().square() + ridge);
  return {M.transpose() * L.leftCols(keep) * gain.asDiagonal(), V.leftCols(keep)};
}

double base_scale(const Problem& problem, const Factors& R) {
  if (R.A.cols() == 0 || R.A.isZero(0)) return 0;
  Problem plain = problem;
  plain.base = {};
  const Sweep<float> sweep(plain, 0);
  const auto samples = static_cast<double>(problem.samples());
  const Vector all = Vector::Ones(problem.samples());
  // d loss / d ln a per sample; its sign is that of the derivative by a, which increases with a.
  const auto slope = [&](double ln_a) {
    const double a = std::exp(ln_a);
    const auto at = sweep.factor_gradient(a * R.A, R.B, all);
    return a * at.A.cwiseProduct(R.A).sum() / samples;
  };
  // Where scores of the class means are about 1.
  const Matrix F =
      plain.Phi * R.B * (R.A.transpose() * R.A) * R.B.transpose() * plain.Phi.transpose();
  double low = -0.5 * std::log(F.cwiseAbs().maxCoeff()), high = low;
  double at_low = slope(low), at_high = at_low;
  for (int i = 0; at_low >= 0 && i < kMostSteps; ++i) {
    high = low, at_high = at_low;
    low -= kStep, at_low = slope(low);
  }
  if (at_low >= 0) return 0;
  for (int i = 0; at_high < 0 && i < kMostSteps; ++i) {
    if (high > low) low = high, at_low = at_high;
    high += kStep, at_high = slope(high);
    if (at_high > -kFlat && at_high < kFlat) return std::exp(high);
  }
  if (at_high < 0) return std::exp(high);
  // The rule of false position; the end that stays counts half (Illinois).
  int stayed = 0;
  for (int i = 0; high - low > kFine && i < kMostSteps; ++i) {
    const double middle = high - at_high * (high - low) / (at_high - at_low);
    const double here = slope(middle);
    if (here > -kFlat && here < kFlat) return std::exp(middle);
    if (here < 0) {
      low = middle, at_low = here;
      if (stayed == 1) at_high /= 2;
      stayed = 1;
    } else {
      high = middle, at_high = here;
      if (stayed == -1) at_low /= 2;
      stayed = -1;
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace bzscr
