#pragma once

#include "core/refinement.h"
#include "core/sweep.h"
#include "types/ensemble.h"

namespace bzscr {

/// An invertible approximation of the second derivatives of the loss: the Hessian in W,
///   sum_i s_i x_i x_i^T (x) Phi^T S_i Phi,   S_i = d^2 l_i / d F_i^2,
/// with each S_i replaced by their mean (Kronecker factors; Martens and Grosse 2015). L-BFGS
/// corrects the difference. Estimated on every n-th sample.
class Curvature {
 public:
  /// Keeps references to `problem` and `features`.
  Curvature(const Problem& problem, const FeatureSpectrum& features, double beta);

  /// One Newton step from W = 0 in closed form, with a step length that minimises the objective:
  /// the start of a run without a model. At most `most` weak models.
  /// \param G  m x p: -d loss / d W at W = 0
  Ensemble first_guess(const Matrix& G, const Vector& s, Penalty penalty, Index most) const;

  /// Coordinates in which the Hessian of the refined objective at this point is nearly diagonal,
  /// and its diagonal.
  FactorBasis basis(const Factors& at, const Vector& s, Penalty penalty) const;

 private:
  Vector thinned(const Vector& s) const;
  Matrix of_embeddings(const Matrix& S) const;

  const Problem& problem_;
  const FeatureSpectrum& features_;
  Index every_;
  MatrixF memory_;      // features of sample_
  Problem sample_;      // every n-th sample of the problem
  Sweep<float> sweep_;  // over sample_
};

}  // namespace bzscr
