#pragma once

#include "baselines/moments.h"

namespace bzscr {

/// ESZSL (Romera-Paredes and Torr, ICML 2015), in closed form:
///
///   W = (X^T X + gamma I)^-1 X^T Y S (S^T S + lambda I)^-1
///
/// Y: N x seen, 1 where a sample is of the class, else -1; S: seen x p, the seen classes'
/// embeddings.
/// \param gamma, lambda  > 0
/// \return  W, m x p
Matrix eszsl(const Moments& sums, const Problem& problem, double gamma, double lambda);

/// Ridge regression on the embeddings of the samples' classes:
///
///   W = (X^T X + gamma I)^-1 X^T Phi_y
///
/// \param gamma  > 0
/// \return  W, m x p
Matrix ridge_regression(const Moments& sums, const Problem& problem, double gamma);

}  // namespace bzscr
