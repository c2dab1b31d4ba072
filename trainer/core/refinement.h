#pragma once

#include "core/feature_spectrum.h"
#include "core/lbfgs.h"
#include "core/penalty.h"
#include "core/sweep.h"
#include "types/ensemble.h"

#include <functional>

namespace bzscr {

Factors factors(const Ensemble& ensemble);

/// Orthogonal coordinates a, b of factors: A = E a KA^T with E of the features and B = EB b KB^T,
/// and the second derivatives of the objective in a and b.
struct FactorBasis {
  const FeatureSpectrum& features;  ///< not owned
  Matrix EB;                        ///< p x p
  Matrix KA, KB;                    ///< k x k
  Matrix curvature_A;               ///< m x k, > 0
  Matrix curvature_B;               ///< p x k, > 0
};

/// Joint refinement of the weak models: L-BFGS on
///   min sum_i s_i l_i(A B^T) + trace/2 (|A|^2 + |B|^2) + ridge/2 |A B^T|^2.
/// Minimised over the factors of a given product, the second term is trace |A B^T|_*. The minimum
/// is therefore that of the convex problem of Eq. (9) with free weak models, if k is at least the
/// rank of its solution.
/// \param at     in: start; out: the last iterate
/// \param basis  not null: L-BFGS works in these coordinates and starts from these curvatures
/// \param stop   called after each iteration with the norm of the gradient; true ends the run
template <class Scalar>
LbfgsResult refine(const Sweep<Scalar>& sweep, Factors& at, const SampleWeights& weights,
                   Penalty penalty, LbfgsOptions options, const FactorBasis* basis = nullptr,
                   const std::function<bool(double gradient)>& stop = nullptr);

/// The ensemble of least total weight with W = A B^T, its singular triplets, without those below
/// `drop` times the largest weight. By QR of both factors and an SVD of the k x k core.
Ensemble recompress(const Factors& at, double drop);

/// The ensemble of W0 + W, where W0 is the base of the problem and W the learned ensemble. Without a
/// base it is the learned one; else it is that of recompress().
Ensemble with_base(const Problem& problem, const Ensemble& learned);

/// The orthogonal residual of G (m x p), (I - U U^T) G (I - V V^T). At a minimum of refine()
/// without ridge, G = trace U V^T + residual; a singular value of the residual above `trace`
/// belongs to a weak model that the ensemble lacks. U and V must have orthonormal columns, as after
/// recompress().
Matrix orthogonal_residual(const Ensemble& ensemble, const Matrix& G);

/// The ensemble with the given pairs appended, each of weight `weight`.
Ensemble append(const Ensemble& ensemble, const Matrix& U, const Matrix& V, double weight);

}  // namespace bzscr
