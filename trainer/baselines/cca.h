#pragma once

#include "baselines/moments.h"

namespace bzscr {

/// Directions in which features and the embeddings of their classes go together most, and how much.
struct CanonicalPairs {
  Matrix A;  ///< m x c: x^T A, of unit second moment (but for the ridge) and uncorrelated
  Matrix B;  ///< p x c: phi^T B, likewise over samples
  Vector correlations;  ///< c, falling, in [0, 1]
};

/// Canonical Correlation Analysis (Hotelling 1936; Hastie, Tibshirani and Friedman), from the SVD
///
///   (Cxx + g I)^-1/2 Cxy (Cyy + l I)^-1/2 = P diag(correlations) Q^T,    A = (Cxx + g I)^-1/2 P,
///   B = ... Q
///
/// with Cxx = X^T X / N, Cxy and Cyy likewise of samples and their classes' embeddings; g = gamma
/// tr(Cxx) / m, l = lambda tr(Cyy) / p. Nothing is centred, as a bilinear model has no constant
/// term (embeddings are centred before, by default).
/// \param gamma, lambda  > 0, relative to the mean variance of a direction
CanonicalPairs cca(const Moments& sums, const Problem& problem, double gamma, double lambda);

/// W = A diag(correlations) B^T: x^T W phi is the product of both projections, weighted by the
/// correlations.
Matrix bilinear(const CanonicalPairs& pairs);

/// B diag(correlations)^1/2, p x c. CCA compares by the cosine of the weighted projections: x^T W
/// phi over their lengths. The sample's moves no class past another; the class's, |class_lengths^T
/// phi|, is not linear in phi, so a model file cannot hold it.
Matrix class_lengths(const CanonicalPairs& pairs);

}  // namespace bzscr
