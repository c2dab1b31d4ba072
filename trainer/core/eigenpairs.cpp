#include "core/eigenpairs.h"

#include <stdexcept>
#include <vector>

extern "C" void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a, const int* lda,
                        const double* vl, const double* vu, const int* il, const int* iu, const double* abstol, int* found,
                        double* values, double* vectors, const int* ldz, int* support, double* work, const int* lwork,
                        int* iwork, const int* liwork, int* info);

namespace bzscr {

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
  if (info != 0 || found != count) throw std::runtime_error("LAPACK's dsyevr failed on a symmetric matrix");
  return {vectors.rowwise().reverse(), values.head(count).reverse()};
}

Eigenpairs semidefinite_eigenpairs(const Matrix& S) {
  Eigenpairs pairs = largest_eigenpairs(0.5 * (S + S.transpose()), S.rows());
  pairs.values = pairs.values.cwiseMax(0);
  return pairs;
}

}  // namespace bzscr
