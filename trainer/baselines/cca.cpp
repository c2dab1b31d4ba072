#include "baselines/cca.h"

#include "core/weak_learner.h"

namespace bzscr {

CanonicalPairs cca(const Moments& sums, const Problem& problem, double gamma, double lambda) {
  const Matrix S = problem.Phi.topRows(problem.seen);
  const auto N = static_cast<double>(sums.samples);
  const Vector spread = sums.XX.values / N;
  const Eigenpairs Cyy = semidefinite_eigenpairs(S.transpose() * sums.counts.asDiagonal() * S / N);
  const Vector rx = (spread.array() + gamma * spread.mean()).rsqrt(),
               ry = (Cyy.values.array() + lambda * Cyy.values.mean()).rsqrt();

  // In the coordinates of the eigenvectors of both sides, where the square roots are diagonal.
  const Matrix Cxy = sums.XX.vectors.transpose() * (sums.class_sums * S) * Cyy.vectors / N;
  const SingularPairs pairs =
      leading_pairs(rx.asDiagonal() * Cxy * ry.asDiagonal(), std::min(Cxy.rows(), Cxy.cols()));
  return {sums.XX.vectors * (rx.asDiagonal() * pairs.U), Cyy.vectors * (ry.asDiagonal() * pairs.V),
          pairs.sigma};
}

Matrix bilinear(const CanonicalPairs& pairs) {
  return pairs.A * pairs.correlations.asDiagonal() * pairs.B.transpose();
}

Matrix class_lengths(const CanonicalPairs& pairs) {
  return pairs.B * pairs.correlations.cwiseSqrt().asDiagonal();
}

}  // namespace bzscr
