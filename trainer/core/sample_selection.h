#pragma once

#include "types/linalg.h"

namespace bzscr {

/// The parameters of the mixture scheme, Eq. (8).
struct SelectionParameters {
  double lambda;  ///< samples with l_i >= lambda are left out; > 0
  double zeta;    ///< > 0
  double full() const {
    return zeta * lambda / (zeta + lambda);
  }  ///< losses up to here count in full
};

/// (lambda, zeta) read off the sorted losses: lambda is the loss at rank share N, and zeta is such
/// that samples up to rank full_share share N count in full (zeta lambda / (zeta + lambda) is their
/// loss).
/// \param share       in (0, 1]
/// \param full_share  in [0, 1)
SelectionParameters parameters_for_share(const Vector& losses, double share, double full_share);

/// Sample weights, Eq. (8): 1 for small losses, 0 from lambda on, zeta/l - zeta/lambda between.
double select_sample(double loss, const SelectionParameters& parameters);
Vector select_samples(const Vector& losses, const SelectionParameters& parameters);

/// How a sample counts in the objective: by a given weight, or by the one that Eq. (8) gives its
/// loss. In the latter case s follows the scores, and min over s of s l + g(s) is as smooth as the
/// loss: what is minimised by w and s in turn can be minimised by both at once.
class SampleWeights {
 public:
  /// Given weights; keeps a reference.
  SampleWeights(const Vector& s) : given_(&s) {}
  SampleWeights(const SelectionParameters& parameters) : parameters_(parameters) {}

  /// s_i, for a loss of l.
  double weight(Index i, double l) const {
    return given_ ? (*given_)[i] : select_sample(l, parameters_);
  }
  /// s_i l + g(s_i) - g(1): l itself for a sample that counts in full.
  double value(Index i, double l) const { return given_ ? (*given_)[i] * l : selected_value(l); }

 private:
  double selected_value(double l) const;

  const Vector* given_ = nullptr;
  SelectionParameters parameters_{};
};

}  // namespace bzscr
