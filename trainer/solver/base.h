#pragma once

#include "types/ensemble.h"
#include "types/problem.h"

namespace bzscr {

/// R of the base W0 = a R, from which boosting may start: the ridge regression from the embeddings
/// phi_r of the seen classes to the means M_r of their samples, both less their mean over the
/// classes. It minimises
///   sum_r |M_r - R phi_r|^2 / C_S + ridge |R|_F^2,   ridge = 0.01 times the mean of |phi_r|^2.
/// Classes without samples are left out. One pass over the samples.
/// \param E  seen x d: embeddings of the seen classes
/// \return   A (m x k0), B (d x k0) with orthonormal columns; without columns if R is zero
Factors ridge_regression(const Problem& problem, const Matrix& E);

/// The a > 0 for which the sum of the losses of seen classes, Eq. (2), (6), is least at W = a R, to
/// a hundredth; 0 if no a > 0 makes it less than W = 0 does. The sum is convex in a. About ten
/// passes over the samples. All ranks compute the same bits.
/// \param problem  its own base is not used
/// \param R        B in coordinates, p x k0
double base_scale(const Problem& problem, const Factors& R);

}  // namespace bzscr
