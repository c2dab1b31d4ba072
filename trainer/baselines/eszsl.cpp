#include "baselines/eszsl.h"

#include <Eigen/Cholesky>

namespace bzscr {

Matrix eszsl(const Moments& sums, const Problem& problem, double gamma, double lambda) {
  const Matrix S = problem.Phi.topRows(problem.seen);
  // X^T Y = 2 (sums of each class) - (sum of all samples), as Y is 1 or -1.
  const Matrix XY = (2 * sums.class_sums).colwise() - sums.class_sums.rowwise().sum();
  const Matrix left = ridge_solve(sums.XX, gamma, XY * S);
  const Matrix SS = S.transpose() * S + lambda * Matrix::Identity(S.cols(), S.cols());
  return SS.llt().solve(left.transpose()).transpose();
}

Matrix ridge_regression(const Moments& sums, const Problem& problem, double gamma) {
  return ridge_solve(sums.XX, gamma, sums.class_sums * problem.Phi.topRows(problem.seen));
}

}  // namespace bzscr
