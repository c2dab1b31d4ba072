#pragma once

#include "types/problem.h"

namespace bzscr {

/// The divergences as the losses read them, in the precision of a sweep.
///
/// A row of scores is laid out as [seen, padding, target, padding]: `columns` long, targets from
/// `first_target`.
template <class Scalar>
struct LossTables {
  LossTables(const Problem& problem, double beta);

  Index seen;
  Index first_target;  ///< seen, rounded up to whole vectors
  Index targets;
  Index columns;              ///< first_target + targets, rounded up to whole vectors
  double beta;                ///< weight of the correlation term, per sample
  RowMatrix<Scalar> margin;   ///< seen x first_target: Delta(y, r); -1e30 in padding
  RowMatrix<Scalar> centred;  ///< seen x targets: (Delta(y, r) - mean_T Delta(y, .)) / |T|

  /// Rows per class in the layout of a row of scores: P (C x k) with zero rows in the padding.
  RowMatrix<Scalar> lay_out(const Matrix& per_class) const;
  /// The inverse: what stands in the rows of classes.
  Matrix pick(const Matrix& laid_out) const;
};

/// A composite loss l_i, Eq. (5), its share from each class and from the correlation.
struct SampleLoss {
  double seen;         ///< sum_{r in S} ln(1 + e^rho_ir), Eq. (2), (6); r = y_i adds ln 2
  double correlation;  ///< ln(1 + e^cov_i), Eq. (3)
  double sum_sigmoid;  ///< sum_{r in S} sigmoid(rho_ir)
  double sigmoid_cov;  ///< sigmoid(cov_i); 1/2 where there are no target classes
};

/// Loss of one sample of class y, from its row of scores.
/// \param F  columns; in: scores, as laid out; out: sigmoid(rho_ir) in the seen part, scores in the
/// rest
template <class Scalar>
SampleLoss sample_loss(const LossTables<Scalar>& tables, Index y, Scalar* F);

/// Turns a row that sample_loss left into slopes of s_i l_i by each score: s_i sigmoid(rho_ir) and
/// s_i beta sigmoid(cov_i) (Delta - mean) / |T| are Q of Eq. (11); the true class takes -sum_r Q_ir
/// more.
template <class Scalar>
void loss_gradient(const LossTables<Scalar>& tables, Index y, const SampleLoss& loss, double s,
                   Scalar* F);

/// l_i from its parts.
template <class Scalar>
double composite(const LossTables<Scalar>& tables, const SampleLoss& loss) {
  return loss.seen + tables.beta * loss.correlation;
}

}  // namespace bzscr
