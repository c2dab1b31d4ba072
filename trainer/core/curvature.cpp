#include "core/curvature.h"

#include "core/blas.h"
#include "core/eigenpairs.h"
#include "core/feature_blocks.h"
#include "core/reducer.h"
#include "core/tally.h"
#include "core/weak_learner.h"

#include <algorithm>

namespace bzscr {
namespace {

constexpr Index kSamplesPerFeature = 8;
constexpr Index kLargestRotation = 2048;  // above it finding the eigenvectors costs more than they save
constexpr double kGuessDamping = 10;      // of the first guess, in prices: far from its point, a Newton step is too long
constexpr double kDrop = 1e-5;

Index thinning(const Samples& X) {
  return std::max<Index>(1, X.size() / std::max<Index>(2048, kSamplesPerFeature * X.dimension()));
}

Samples every_nth(const Samples& X, Index n) {
  const auto nth = Eigen::seq(0, X.size() - 1, n);
  Samples some{X.features, {}, X.scale(nth)};
  for (Index i = 0; i < X.size(); i += n) some.rows.push_back(X.rows[static_cast<std::size_t>(i)]);
  return some;
}

Problem every_nth(const Problem& problem, Index n) {
  Problem some{every_nth(problem.X, n), {}, problem.Phi, problem.Delta, problem.seen};
  for (Index i = 0; i < problem.samples(); i += n) some.y.push_back(problem.y[static_cast<std::size_t>(i)]);
  return some;
}

/// A positive semidefinite matrix with its eigenvalues freed of rounding below zero.
Eigenpairs spectrum(const Matrix& S) {
  Eigenpairs pairs = largest_eigenpairs(0.5 * (S + S.transpose()), S.rows());
  pairs.values = pairs.values.cwiseMax(0);
  return pairs;
}

}  // namespace

FeatureSpectrum feature_spectrum(const Samples& X) {
  use_single_threaded_blas();
  const Index every = thinning(X), m = X.dimension();
  const Samples some = every_nth(X, every);
  const bool rotate = m <= kLargestRotation;
  struct Worker {
    const Samples& X;
    bool rotate;
    FeatureBlocks<float> blocks;
    MatrixF scaled, gram;
    void visit(Index first, Index count) {
      scaled = X.scale.segment(first, count).cast<float>().asDiagonal() * blocks.read(first, count);
      const Timer timer(&Tally::product_seconds, 2 * count * scaled.cols() * (rotate ? scaled.cols() : 1));
      if (rotate) gram.noalias() = scaled.transpose() * scaled;
      else gram = scaled.colwise().squaredNorm();
    }
  };
  Matrix gram = Matrix::Zero(rotate ? m : 1, m);
  reduce_blocks(
      some.size(), [&] { return Worker{some, rotate, FeatureBlocks<float>(some), {}, {}}; },
      [&](const Worker& block) { gram += block.gram.cast<double>(); });
  gram *= static_cast<double>(X.size()) / static_cast<double>(some.size());
  if (!rotate) return {Matrix::Identity(m, m), gram.row(0).transpose()};
  Eigenpairs pairs = spectrum(gram);
  return {std::move(pairs.vectors), std::move(pairs.values)};
}

Curvature::Curvature(const Problem& problem, const FeatureSpectrum& features, double beta)
    : problem_(problem), features_(features), every_(thinning(problem.X)), sample_(every_nth(problem, every_)),
      sweep_(sample_, beta) {}

Vector Curvature::thinned(const Vector& s) const { return s(Eigen::seq(0, s.size() - 1, every_)); }

Matrix Curvature::of_embeddings(const Matrix& S) const { return problem_.Phi.transpose() * S * problem_.Phi; }

Ensemble Curvature::first_guess(const Matrix& G, const Vector& s, double price, Index most) const {
  const Factors none{Matrix(G.rows(), 0), Matrix(G.cols(), 0)};
  const Vector some = thinned(s);
  const Eigenpairs classes = spectrum(of_embeddings(sweep_.curvature(none.A, none.B, some)));
  const Matrix curved = features_.values * classes.values.transpose();
  Matrix step = features_.vectors.transpose() * G * classes.vectors;
  step.array() /= curved.array() + kGuessDamping * price;
  const SingularPairs pairs = leading_pairs(features_.vectors * step * classes.vectors.transpose(), most);
  const Index keep = (pairs.sigma.array() > kDrop * pairs.sigma[0]).count();
  Ensemble guess{pairs.U.leftCols(keep), pairs.V.leftCols(keep), pairs.sigma.head(keep)};

  // Doubled for as long as that helps.
  const double samples = static_cast<double>(problem_.samples()) / static_cast<double>(sample_.samples());
  const auto objective = [&](double t) {
    const Factors at = factors({guess.U, guess.V, t * guess.w});
    return samples * some.dot(sweep_.losses(at.A, at.B)) + price * t * guess.w.sum();
  };
  double t = 1, value = objective(t);
  for (double next = objective(2 * t); next < value; next = objective(2 * t)) {
    t *= 2;
    value = next;
  }
  guess.w *= t;
  return guess;
}

FactorBasis Curvature::basis(const Factors& at, const Vector& s, double price) const {
  const Matrix S = sweep_.curvature(at.A, at.B, thinned(s));
  const Matrix embeddings = of_embeddings(S);
  const Matrix A = features_.vectors.transpose() * at.A;
  const Eigenpairs classes = spectrum(embeddings);
  Eigenpairs of_A = spectrum(at.B.transpose() * embeddings * at.B);
  Eigenpairs of_B = spectrum(A.transpose() * features_.values.asDiagonal() * A);
  FactorBasis basis{features_.vectors, classes.vectors, std::move(of_A.vectors), std::move(of_B.vectors), {}, {}};
  basis.curvature_A = (features_.values * of_A.values.transpose()).array() + price;
  basis.curvature_B = (classes.values * of_B.values.transpose()).array() + price;
  return basis;
}

}  // namespace bzscr
