#pragma once

#include "types/linalg.h"

namespace bzscr {

/// The parameters of the mixture scheme, Eq. (8).
struct Pace {
  double lambda;  ///< samples with l_i >= lambda are left out; > 0
  double zeta;    ///< > 0
};

/// (lambda, zeta) read off the sorted losses: lambda is the loss at rank share N, and zeta is such that
/// samples up to rank full_share share N count in full (zeta lambda / (zeta + lambda) is their loss).
/// \param share       in (0, 1]
/// \param full_share  in [0, 1)
Pace pace_for_share(const Vector& losses, double share, double full_share);

/// Sample weights, Eq. (8): 1 for small losses, 0 from lambda on, zeta/l - zeta/lambda between.
Vector select_samples(const Vector& losses, const Pace& pace);

}  // namespace bzscr
