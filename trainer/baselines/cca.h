#pragma once

#include "baselines/moments.h"

namespace bzscr {

/// Canonical directions of features and class embeddings, and their correlations.
struct CanonicalPairs {
  Matrix A;             ///< m x c: x^T A are uncorrelated, of unit second moment up to the ridge
  Matrix B;             ///< p x c: the same for phi^T B over the samples
  Vector correlations;  ///< c, descending, in [0, 1]
};

/// Canonical Correlation Analysis (Hotelling 1936; Hastie, Tibshirani and Friedman), from the SVD
///
///   (Cxx + g I)^-1/2 Cxy (Cyy + l I)^-1/2 = P diag(correlations) Q^T,    A = (Cxx + g I)^-1/2 P,
///   B = ... Q
///
/// with Cxx = X^T X / N, and Cxy, Cyy alike for samples and the embeddings of their classes; g =
/// gamma tr(Cxx) / m, l = lambda tr(Cyy) / p. Features and embeddings are not centred here, because
/// a bilinear model has no constant term (by default embeddings are centred before).
/// \param gamma, lambda  > 0, relative to the mean variance of a direction
CanonicalPairs cca(const Moments& sums, const Problem& problem, double gamma, double lambda);

/// W = A diag(correlations) B^T: x^T W phi is the product of both projections, weighted by the
/// correlations.
Matrix bilinear(const CanonicalPairs& pairs);

/// B diag(correlations)^1/2, p x c. CCA compares by the cosine of the weighted projections, x^T W
/// phi divided by both lengths. The length of the sample's projection does not change the ranking
/// of the classes. The length of the class's, |class_lengths^T phi|, is not linear in phi, so a
/// model file cannot hold it.
Matrix class_lengths(const CanonicalPairs& pairs);

}  // namespace bzscr
