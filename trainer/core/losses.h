#pragma once

#include "types/problem.h"

namespace bzscr {

/// The divergences in the layout and precision of a sweep.
///
/// A row of scores has `columns` values: [seen, padding, target, padding]; the targets start at
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

  /// C x k to columns x k: the rows of classes in the layout above, with zero rows as padding.
  RowMatrix<Scalar> lay_out(const Matrix& per_class) const;
  /// The inverse, columns x k to C x k: removes the padding.
  Matrix pick(const Matrix& laid_out) const;
};

/// The parts of a composite loss l_i, Eq. (5).
struct SampleLoss {
  double seen;         ///< sum_{r in S} ln(1 + e^rho_ir), Eq. (2), (6); r = y_i adds ln 2
  double correlation;  ///< ln(1 + e^cov_i), Eq. (3)
  double sum_sigmoid;  ///< sum_{r in S} sigmoid(rho_ir)
  double sigmoid_cov;  ///< sigmoid(cov_i); 1/2 where there are no target classes
};

/// The loss of one sample of class y from its row of scores.
/// \param F  columns; in: scores; out: sigmoid(rho_ir) in the seen part, scores in the rest
template <class Scalar>
SampleLoss sample_loss(const LossTables<Scalar>& tables, Index y, Scalar* F);

/// The gradient of s_i l_i in the scores, in place of the row that sample_loss() wrote. It is Q of
/// Eq. (11), s_i sigmoid(rho_ir) for seen and s_i beta sigmoid(cov_i) (Delta - mean) / |T| for
/// target classes, with -sum_r Q_ir added for the true class.
template <class Scalar>
void loss_gradient(const LossTables<Scalar>& tables, Index y, const SampleLoss& loss, double s,
                   Scalar* F);

/// l_i, the sum of its parts.
template <class Scalar>
double composite(const LossTables<Scalar>& tables, const SampleLoss& loss) {
  return loss.seen + tables.beta * loss.correlation;
}

}  // namespace bzscr
