#pragma once

#include "types/problem.h"

namespace bzscr {

/// Eigenvalue decomposition of the scaled and centred samples, X^T X = E diag(values) E^T.
struct FeatureSpectrum {
  /// E, m x m. For m > 2048 it is empty and means the identity; `values` is then the diagonal of
  /// X^T X.
  Matrix vectors;
  MatrixF rounded;        ///< `vectors` in float
  Vector values;          ///< m, >= 0, descending if `vectors` is not empty
  Execution execution{};  ///< threads of the products below

  // Products in the precision Scalar, which is that of the passes before and after them.
  template <class Scalar = double>
  Matrix into(const Matrix& M) const;  ///< E^T M
  template <class Scalar = double>
  Matrix out_of(const Matrix& M) const;  ///< E M

 private:
  template <class Scalar>
  const RowMatrix<Scalar>& in() const;
};

/// Estimated on every n-th sample with n = thinning(X).
FeatureSpectrum feature_spectrum(const Samples& X);

/// n >= 1 such that about 8 m samples remain, and at least 2048.
Index thinning(const Samples& X);
/// Every n-th sample, with its features copied to contiguous memory, as they are read often. With
/// n = 1 nothing is copied. Each rank copies the blocks that it visits.
/// \param memory  output: the copy; must outlive the returned samples
Samples every_nth(const Samples& X, Index n, MatrixF& memory);

}  // namespace bzscr
