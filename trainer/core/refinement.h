#pragma once

#include "core/feature_spectrum.h"
#include "core/lbfgs.h"
#include "core/penalty.h"
#include "core/sweep.h"
#include "types/ensemble.h"

#include <functional>

namespace bzscr {

/// A = U diag(sqrt w), B = V diag(sqrt w): the ensemble with its weights shared between both sides.
struct Factors {
  Matrix A;  ///< m x k
  Matrix B;  ///< p x k
};
Factors factors(const Ensemble& ensemble);

/// Orthogonal coordinates for factors: A = E a KA^T with E of the features, B = EB b KB^T, and
/// second derivatives by a and b.
struct FactorBasis {
  const FeatureSpectrum& features;  ///< lives elsewhere
  Matrix EB;                        ///< p x p
  Matrix KA, KB;                    ///< k x k
  Matrix curvature_A;               ///< m x k, > 0
  Matrix curvature_B;               ///< p x k, > 0
};

/// Joint refinement of the weak models: L-BFGS on
///   min sum_i s_i l_i(A B^T) + trace/2 (|A|^2 + |B|^2) + ridge/2 |A B^T|^2.
/// At its minimum over A, B of a given product, the second term is the trace norm's, so this
/// descends the convex problem of Eq. (9) with free weak models, as long as k is at least the rank
/// of its solution.
/// \param basis  where given, L-BFGS works in its coordinates and starts from its curvatures
template <class Scalar>
LbfgsResult refine(const Sweep<Scalar>& sweep, Factors& at, const SampleWeights& weights,
                   Penalty penalty, LbfgsOptions options, const FactorBasis* basis = nullptr,
                   const std::function<bool(double gradient)>& stop = nullptr);

/// The ensemble of least total weight with W = A B^T: its singular triplets, those under
/// `drop` times the largest weight left out. QR of both factors, SVD of the small core.
Ensemble recompress(const Factors& at, double drop);

/// The part of G that the ensemble's atoms cannot turn into by moving: (I - U U^T) G (I - V V^T).
/// At a point where refinement has ended, G = regularisation weight U V^T + this, and a singular
/// value above the regularisation weight here is a weak model that is missing. U, V must have
/// orthonormal columns, as recompress() leaves them.
Matrix orthogonal_residual(const Ensemble& ensemble, const Matrix& G);

/// The ensemble with the given pairs appended, each of weight `weight`.
Ensemble append(const Ensemble& ensemble, const Matrix& U, const Matrix& V, double weight);

}  // namespace bzscr
