#include "core/weak_learner.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

extern "C" void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a, const int* lda,
                        const double* vl, const double* vu, const int* il, const int* iu, const double* abstol, int* found,
                        double* values, double* vectors, const int* ldz, int* support, double* work, const int* lwork,
                        int* iwork, const int* liwork, int* info);

namespace bzscr {
namespace {

struct Eigenpairs {
  Matrix vectors;  // n x c
  Vector values;   // c, falling
};

// The `count` largest eigenpairs of a symmetric matrix.
Eigenpairs largest_eigenpairs(Matrix S, Index count) {
  const int n = static_cast<int>(S.rows()), il = n - static_cast<int>(count) + 1, ldz = n;
  Eigen::MatrixXd vectors(n, count);
  Vector values(n);
  Eigen::VectorXi support(2 * n);
  const double unused = 0;
  int found = 0, info = 0, lwork = -1, liwork = -1, integer_size = 0;
  double real_size = 0;
  const auto call = [&](double* work, int* iwork) {
    dsyevr_("V", "I", "U", &n, S.data(), &n, &unused, &unused, &il, &n, &unused, &found, values.data(), vectors.data(), &ldz,
            support.data(), work, &lwork, iwork, &liwork, &info);
  };
  call(&real_size, &integer_size);
  lwork = static_cast<int>(real_size);
  liwork = integer_size;
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<int> iwork(static_cast<std::size_t>(liwork));
  call(work.data(), iwork.data());
  if (info != 0 || found != count) throw std::runtime_error("LAPACK's dsyevr failed on the matrix of ascent");
  return {vectors.rowwise().reverse(), values.head(count).reverse()};
}

}  // namespace

SingularPairs leading_pairs(const Matrix& G, Index count) {
  const bool wide = G.cols() > G.rows();
  const Index side = std::min(G.rows(), G.cols());
  count = std::clamp<Index>(count, 1, side);
  const double largest = G.cwiseAbs().maxCoeff();
  if (largest == 0) return {Matrix::Identity(G.rows(), 1), Matrix::Identity(G.cols(), 1), Vector::Zero(1)};

  const Matrix scaled = G / largest;  // squares neither overflow nor vanish
  Matrix gram(side, side);
  if (wide) gram.noalias() = scaled * scaled.transpose();
  else gram.noalias() = scaled.transpose() * scaled;
  const Eigenpairs eigen = largest_eigenpairs(std::move(gram), count);

  // Pairs that rounding has swallowed are not pairs: their other side would not be a unit vector.
  const Index sound = std::max<Index>(1, (eigen.values.array() > 1e-14 * eigen.values[0]).count());
  SingularPairs pairs;
  const Matrix near = eigen.vectors.leftCols(sound);
  Matrix far = wide ? Matrix(scaled.transpose() * near) : Matrix(scaled * near);
  const Vector lengths = far.colwise().norm();
  far *= lengths.cwiseInverse().asDiagonal();
  pairs.sigma = lengths * largest;
  pairs.U = wide ? near : far;
  pairs.V = wide ? far : near;
  return pairs;
}

}  // namespace bzscr
