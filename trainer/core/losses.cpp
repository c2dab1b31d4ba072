#include "core/losses.h"

#include "core/logistic.h"

namespace bzscr {

template <class Scalar>
LossTables<Scalar>::LossTables(const Problem& problem, double beta_)
    : seen(problem.seen), targets(problem.targets()), beta(beta_) {
  first_target = whole_vectors<Scalar>(seen);
  columns = first_target + whole_vectors<Scalar>(targets);
  margin = RowMatrix<Scalar>::Constant(seen, first_target, static_cast<Scalar>(-1e30));
  margin.leftCols(seen) = problem.Delta.leftCols(seen).template cast<Scalar>();
  if (targets == 0) return;
  const auto target_part = problem.Delta.rightCols(targets);
  centred = ((target_part.colwise() - target_part.rowwise().mean()) / static_cast<double>(targets))
                .template cast<Scalar>();
}

template <class Scalar>
RowMatrix<Scalar> LossTables<Scalar>::lay_out(const Matrix& per_class) const {
  RowMatrix<Scalar> out = RowMatrix<Scalar>::Zero(columns, per_class.cols());
  out.topRows(seen) = per_class.topRows(seen).template cast<Scalar>();
  out.middleRows(first_target, targets) = per_class.bottomRows(targets).template cast<Scalar>();
  return out;
}

template <class Scalar>
Matrix LossTables<Scalar>::pick(const Matrix& laid_out) const {
  Matrix out(seen + targets, laid_out.cols());
  out << laid_out.topRows(seen), laid_out.middleRows(first_target, targets);
  return out;
}

template <class Scalar>
SampleLoss sample_loss(const LossTables<Scalar>& tables, Index y, Scalar* F) {
  const LogisticSums margins =
      logistic_row(F, tables.margin.row(y).data(), F[y], tables.first_target);
  double covariance = 0;
  if (tables.targets > 0 && tables.beta > 0) {
    using Row = Eigen::Map<const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>>;
    const Row scores(F + tables.first_target, tables.targets);
    covariance = static_cast<double>(tables.centred.row(y).dot(scores));  // Eq. (3)
  }
  const Logistic correlation = logistic(covariance);
  return {margins.loss, correlation.softplus, margins.gradient, correlation.sigmoid};
}

template <class Scalar>
void loss_gradient(const LossTables<Scalar>& tables, Index y, const SampleLoss& loss, double s,
                   Scalar* F) {
  using Row = Eigen::Map<Eigen::Matrix<Scalar, 1, Eigen::Dynamic>>;
  if (s != 1) Row(F, tables.first_target) *= static_cast<Scalar>(s);
  F[y] -= static_cast<Scalar>(s * loss.sum_sigmoid);
  if (tables.targets == 0) return;
  Row(F + tables.first_target, tables.targets) =
      tables.centred.row(y) * static_cast<Scalar>(s * tables.beta * loss.sigmoid_cov);
}

template struct LossTables<float>;
template struct LossTables<double>;
template SampleLoss sample_loss(const LossTables<float>&, Index, float*);
template SampleLoss sample_loss(const LossTables<double>&, Index, double*);
template void loss_gradient(const LossTables<float>&, Index, const SampleLoss&, double, float*);
template void loss_gradient(const LossTables<double>&, Index, const SampleLoss&, double, double*);

}  // namespace bzscr
