#pragma once

#include "types/problem.h"

namespace bzscr {

/// X^T X = E diag(values) E^T: the directions in which features spread, and how far. Falling
/// values.
struct FeatureSpectrum {
  Matrix vectors;   ///< E, m x m; empty where m is above 2048: E is the identity then, and values
                    ///< the diagonal
  MatrixF rounded;  ///< the same in float
  Vector values;    ///< m, >= 0
  Execution execution{};  ///< of the samples: threads that multiply

  // Multiplied in Scalar: what stands between two passes over the samples is as exact as those are.
  template <class Scalar = double>
  Matrix into(const Matrix& M) const;  ///< E^T M
  template <class Scalar = double>
  Matrix out_of(const Matrix& M) const;  ///< E M

 private:
  template <class Scalar>
  const RowMatrix<Scalar>& in() const;
};

/// Estimated on every n-th sample: it only has to be near.
FeatureSpectrum feature_spectrum(const Samples& X);

/// n: about eight samples for each feature, at least 2048 in all.
Index thinning(const Samples& X);
/// Every n-th sample, its features copied together: they are read often, and in the file they lie
/// far apart. With n = 1 nothing is copied. Of several processes each copies the blocks that it
/// visits.
/// \param memory  holds the copy, and must outlive what is returned
Samples every_nth(const Samples& X, Index n, MatrixF& memory);

}  // namespace bzscr
