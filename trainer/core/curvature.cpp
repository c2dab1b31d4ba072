#include "core/curvature.h"

#include "core/lapack.h"
#include "core/weak_learner.h"

#include <algorithm>

namespace bzscr {
namespace {

// Damping of the first guess, in units of penalty.trace: an undamped Newton step would be too long.
constexpr double kGuessDamping = 10;
constexpr double kDrop = 1e-5;

Problem every_nth(const Problem& problem, Index n, MatrixF& memory) {
  Problem some{
      every_nth(problem.X, n, memory), {}, problem.Phi, problem.Delta, problem.seen, problem.base};
  for (Index i = 0; i < problem.samples(); i += n)
    some.y.push_back(problem.y[static_cast<std::size_t>(i)]);
  return some;
}

}  // namespace

Curvature::Curvature(const Problem& problem, const FeatureSpectrum& features, double beta)
    : problem_(problem),
      features_(features),
      every_(thinning(problem.X)),
      sample_(every_nth(problem, every_, memory_)),
      sweep_(sample_, beta) {}

Vector Curvature::thinned(const Vector& s) const { return s(Eigen::seq(0, s.size() - 1, every_)); }

Matrix Curvature::of_embeddings(const Matrix& S) const {
  return problem_.Phi.transpose() * S * problem_.Phi;
}

Ensemble Curvature::first_guess(const Matrix& G, const Vector& s, Penalty penalty,
                                Index most) const {
  const Factors none{Matrix(G.rows(), 0), Matrix(G.cols(), 0)};
  const Vector some = thinned(s);
  const Eigenpairs classes =
      semidefinite_eigenpairs(of_embeddings(sweep_.curvature(none.A, none.B, some)));
  const Matrix curved = features_.values * classes.values.transpose();
  Matrix step = features_.into(G) * classes.vectors;
  step.array() /= curved.array() + kGuessDamping * penalty.trace + penalty.ridge;
  const SingularPairs pairs =
      leading_pairs(features_.out_of(step) * classes.vectors.transpose(), most);
  const Index keep = (pairs.sigma.array() > kDrop * pairs.sigma[0]).count();
  Ensemble guess{pairs.U.leftCols(keep), pairs.V.leftCols(keep), pairs.sigma.head(keep)};

  // Double the scale while the objective decreases.
  const double samples =
      static_cast<double>(problem_.samples()) / static_cast<double>(sample_.samples());
  const auto objective = [&](double t) {
    const Factors at = factors({guess.U, guess.V, t * guess.w});
    return samples * sweep_.loss(at.A, at.B, some) + penalty.trace * t * guess.w.sum() +
           0.5 * penalty.ridge * t * t * guess.w.squaredNorm();
  };
  double t = 1, value = objective(t);
  for (double next = objective(2 * t); next < value; next = objective(2 * t)) {
    t *= 2;
    value = next;
  }
  guess.w *= t;
  return guess;
}

FactorBasis Curvature::basis(const Factors& at, const Vector& s, Penalty penalty) const {
  const Matrix S = sweep_.curvature(at.A, at.B, thinned(s));
  const Matrix embeddings = of_embeddings(S);
  const Matrix A = features_.into(at.A);
  const Eigenpairs classes = semidefinite_eigenpairs(embeddings);
  Eigenpairs of_A = semidefinite_eigenpairs(at.B.transpose() * embeddings * at.B);
  Eigenpairs of_B = semidefinite_eigenpairs(A.transpose() * features_.values.asDiagonal() * A);
  FactorBasis basis{
      features_, classes.vectors, std::move(of_A.vectors), std::move(of_B.vectors), {}, {}};
  // The ridge adds |B b_j|^2 to the curvature in a, where b_j are the coordinates of the other
  // factor, and likewise in b.
  const auto curvature = [&](const Matrix& of_loss, const Matrix& other) -> Matrix {
    const Eigen::RowVectorXd ridge = penalty.ridge * other.colwise().squaredNorm();
    return (of_loss.rowwise() + ridge).array() + penalty.trace;
  };
  basis.curvature_A = curvature(features_.values * of_A.values.transpose(), at.B * basis.KA);
  basis.curvature_B = curvature(classes.values * of_B.values.transpose(), A * basis.KB);
  return basis;
}

}  // namespace bzscr
