#include "core/certificate.h"

#include <algorithm>

namespace bzscr {

template <class Scalar>
Inspection inspect(const Sweep<Scalar>& sweep, const Matrix& A, const Matrix& B, double weight,
                   const Vector& s, Penalty penalty) {
  auto at = sweep.negative_gradient(A, B, s);
  const Factors& base = sweep.problem().base;
  // -<W0, G>: what the base adds to the dual objective.
  const double of_base = base.A.cols() > 0 ? -(at.G * base.B).cwiseProduct(base.A).sum() : 0;
  Inspection result;
  double objective = at.loss + penalty.trace * weight, bound = 0;
  if (penalty.ridge > 0) {
    const Matrix W = A * B.transpose();
    const Vector sigma = leading_pairs(at.G, std::min(at.G.rows(), at.G.cols())).sigma;
    objective += 0.5 * penalty.ridge * W.squaredNorm();
    bound = sweep.dual(A, B, s, 1) + of_base -
            (sigma.array() - penalty.trace).cwiseMax(0).square().sum() / (2 * penalty.ridge);
    at.G -= penalty.ridge * W;
    result.leading = leading_pairs(at.G, 1);
  } else {
    result.leading = leading_pairs(at.G, 1);
    const double sigma = result.leading.sigma[0];
    const double tau = sigma > penalty.trace ? penalty.trace / sigma : 1;
    bound = sweep.dual(A, B, s, tau) + tau * of_base;
  }
  result.certificate = {objective, bound};
  result.losses = std::move(at.losses);
  result.G = std::move(at.G);
  return result;
}

template Inspection inspect(const Sweep<float>&, const Matrix&, const Matrix&, double,
                            const Vector&, Penalty);
template Inspection inspect(const Sweep<double>&, const Matrix&, const Matrix&, double,
                            const Vector&, Penalty);

}  // namespace bzscr
