#include "core/refinement.h"

#include "core/lapack.h"

#include <algorithm>

namespace bzscr {
namespace {

using Flat = Eigen::Map<Matrix>;
using ConstFlat = Eigen::Map<const Matrix>;

}  // namespace

Factors factors(const Ensemble& ensemble) {
  const Vector root = ensemble.w.cwiseSqrt();
  return {ensemble.U * root.asDiagonal(), ensemble.V * root.asDiagonal()};
}

template <class Scalar>
LbfgsResult refine(const Sweep<Scalar>& sweep, Factors& at, const SampleWeights& weights,
                   Penalty penalty, LbfgsOptions options, const FactorBasis* basis,
                   const std::function<bool(double gradient)>& stop) {
  const Index m = at.A.rows(), p = at.B.rows(), k = at.A.cols();
  const auto flat = [&](const Matrix& a, const Matrix& b) {
    Vector x(m * k + p * k);
    Flat(x.data(), m, k) = a;
    Flat(x.data() + m * k, p, k) = b;
    return x;
  };
  const auto factors_at = [&](const Vector& point) -> Factors {
    const ConstFlat a(point.data(), m, k), b(point.data() + m * k, p, k);
    if (!basis) return {a, b};
    return {basis->features.out_of<Scalar>(a * basis->KA.transpose()),
            basis->EB * b * basis->KB.transpose()};
  };
  const auto coordinates = [&](const Matrix& A, const Matrix& B) {
    if (!basis) return flat(A, B);
    return flat(basis->features.into<Scalar>(A * basis->KA), basis->EB.transpose() * B * basis->KB);
  };
  const auto objective = [&](const Vector& point, Vector& g) {
    const Factors here = factors_at(point);
    auto factor_gradient = sweep.factor_gradient(here.A, here.B, weights);
    double ridge = 0;
    if (penalty.ridge > 0) {
      const Matrix AtA = here.A.transpose() * here.A, BtB = here.B.transpose() * here.B;
      ridge = 0.5 * penalty.ridge * AtA.cwiseProduct(BtB).sum();  // |A B^T|^2 = tr A^T A B^T B
      factor_gradient.A += penalty.ridge * here.A * BtB;
      factor_gradient.B += penalty.ridge * here.B * AtA;
    }
    g = coordinates(factor_gradient.A, factor_gradient.B) + penalty.trace * point;
    return factor_gradient.loss + 0.5 * penalty.trace * point.squaredNorm() + ridge;
  };
  if (basis) options.curvature = flat(basis->curvature_A, basis->curvature_B);
  Vector x = coordinates(at.A, at.B);
  const LbfgsResult result = minimise(objective, x, options, stop);
  at = factors_at(x);
  return result;
}

Ensemble recompress(const Factors& at, double drop) {
  if (at.A.cols() == 0) return {at.A, at.B, Vector(0)};
  const Orthogonal a = orthogonal(at.A), b = orthogonal(at.B);
  const auto [U, sigma, V] = singular_triplets(a.R * b.R.transpose());
  const Index keep = sigma[0] > 0 ? (sigma.array() > drop * sigma[0]).count() : 0;
  return {a.Q * U.leftCols(keep), b.Q * V.leftCols(keep), sigma.head(keep)};
}

Ensemble with_base(const Problem& problem, const Ensemble& learned) {
  constexpr double kDrop = 1e-5;
  const Index k0 = problem.base.A.cols();
  if (k0 == 0) return learned;
  const Factors own = factors(learned);
  Factors both{Matrix(problem.base.A.rows(), own.A.cols() + k0),
               Matrix(problem.base.B.rows(), own.B.cols() + k0)};
  both.A << own.A, problem.base.A;
  both.B << own.B, problem.base.B;
  return recompress(both, kDrop);
}

Matrix orthogonal_residual(const Ensemble& ensemble, const Matrix& G) {
  if (ensemble.w.size() == 0) return G;
  Matrix rest = G - ensemble.U * (ensemble.U.transpose() * G);
  rest -= (rest * ensemble.V) * ensemble.V.transpose();
  return rest;
}

Ensemble append(const Ensemble& ensemble, const Matrix& U, const Matrix& V, double weight) {
  const Index k = ensemble.w.size(), more = U.cols();
  Ensemble out{Matrix(U.rows(), k + more), Matrix(V.rows(), k + more), Vector(k + more)};
  if (k > 0) {
    out.U.leftCols(k) = ensemble.U;
    out.V.leftCols(k) = ensemble.V;
    out.w.head(k) = ensemble.w;
  }
  out.U.rightCols(more) = U;
  out.V.rightCols(more) = V;
  out.w.tail(more).setConstant(weight);
  return out;
}

template LbfgsResult refine(const Sweep<float>&, Factors&, const SampleWeights&, Penalty,
                            LbfgsOptions, const FactorBasis*,
                            const std::function<bool(double gradient)>&);
template LbfgsResult refine(const Sweep<double>&, Factors&, const SampleWeights&, Penalty,
                            LbfgsOptions, const FactorBasis*,
                            const std::function<bool(double gradient)>&);

}  // namespace bzscr
