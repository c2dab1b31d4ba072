#include "core/certificate.h"

#include <algorithm>

namespace bzscr {

template <class Scalar>
Inspection inspect(const Sweep<Scalar>& sweep, const Matrix& A, const Matrix& B, double weight, const Vector& s, double price) {
  auto at = sweep.ascent(A, B, s);
  Inspection seen;
  seen.leading = leading_pairs(at.G, 1);
  const double sigma = seen.leading.sigma[0];
  const double tau = sigma > price ? price / sigma : 1;
  seen.certificate = {at.loss + price * weight, sweep.dual(A, B, s, tau)};
  seen.losses = std::move(at.losses);
  seen.G = std::move(at.G);
  return seen;
}

template Inspection inspect(const Sweep<float>&, const Matrix&, const Matrix&, double, const Vector&, double);
template Inspection inspect(const Sweep<double>&, const Matrix&, const Matrix&, double, const Vector&, double);

}  // namespace bzscr
