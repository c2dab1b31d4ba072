#include "decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

namespace bzscr::test {

PlainSvd plain_svd(const Matrix& W) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(W, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

double trace_norm(const Matrix& W) { return plain_svd(W).sigma.sum(); }

Matrix inverse(const Matrix& A) { return Eigen::MatrixXd(A).inverse(); }

PlainEigenpairs plain_eigenpairs(const Matrix& S) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen{Eigen::MatrixXd(S)};
  return {eigen.eigenvectors(), eigen.eigenvalues()};
}

Matrix inverse_root(const Matrix& S) {
  const PlainEigenpairs eigen = plain_eigenpairs(S);
  return eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal() *
         eigen.vectors.transpose();
}

Vector solve(const Matrix& S, const Vector& b) { return Eigen::MatrixXd(S).ldlt().solve(b); }

}  // namespace bzscr::test
