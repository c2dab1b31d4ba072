#pragma once

#include "types/linalg.h"

namespace bzscr {

/// The parameters of the mixture scheme, Eq. (8).
struct SelectionParameters {
  double lambda;  ///< > 0; samples with l_i >= lambda have s_i = 0
  double zeta;    ///< > 0
  /// Samples with a loss up to this value have s_i = 1.
  double full() const { return zeta * lambda / (zeta + lambda); }
};

/// (lambda, zeta) from the sorted losses: lambda is the loss at rank share N, and zeta is such that
/// samples up to rank full_share share N have s_i = 1 (full() is the loss at that rank).
/// \param share       in (0, 1]
/// \param full_share  in [0, 1)
SelectionParameters parameters_for_share(const Vector& losses, double share, double full_share);

/// Sample weight, Eq. (8): 1 for l <= full(), 0 for l >= lambda, zeta/l - zeta/lambda between.
double select_sample(double loss, const SelectionParameters& parameters);
Vector select_samples(const Vector& losses, const SelectionParameters& parameters);

/// The sample weights of an objective: given ones, or those of Eq. (8) as a function of the loss.
/// In the latter case min over s of s l + g(s) is as smooth as the loss, so that the objective can
/// be minimised jointly in w and s instead of alternately.
class SampleWeights {
 public:
  /// Given weights; keeps a reference.
  SampleWeights(const Vector& s) : given_(&s) {}
  SampleWeights(const SelectionParameters& parameters) : parameters_(parameters) {}

  /// s_i for the loss l.
  double weight(Index i, double l) const {
    return given_ ? (*given_)[i] : select_sample(l, parameters_);
  }
  /// s_i l + g(s_i) - g(1), which is l for s_i = 1.
  double value(Index i, double l) const { return given_ ? (*given_)[i] * l : selected_value(l); }

 private:
  double selected_value(double l) const;

  const Vector* given_ = nullptr;
  SelectionParameters parameters_{};
};

}  // namespace bzscr
