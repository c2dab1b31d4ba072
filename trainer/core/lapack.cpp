#include "core/lapack.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a,
             const int* lda, const double* vl, const double* vu, const int* il, const int* iu,
             const double* abstol, int* found, double* values, double* vectors, const int* ldz,
             int* support, double* work, const int* lwork, int* iwork, const int* liwork,
             int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* lwork, int* info);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info);
}

namespace bzscr {
namespace {

using ColumnMajor = Eigen::MatrixXd;  // LAPACK's storage order

/// Calls a LAPACK routine twice: to query the size of its workspace, and with that workspace.
/// \param call  call(work, &lwork) returns info
template <class Call>
void with_workspace(const char* name, Call call) {
  double size = 0;
  int lwork = -1;
  int info = call(&size, &lwork);
  lwork = static_cast<int>(size);
  std::vector<double> work(static_cast<std::size_t>(std::max(1, lwork)));
  if (info == 0) info = call(work.data(), &lwork);
  if (info != 0) throw std::runtime_error(std::string("LAPACK's ") + name + " failed");
}

}  // namespace

Eigenpairs largest_eigenpairs(Matrix S, Index count) {
  const int n = static_cast<int>(S.rows()), il = n - static_cast<int>(count) + 1, ldz = n;
  ColumnMajor vectors(n, count);
  Vector values(n);
  Eigen::VectorXi support(2 * n), integers(10 * n);  // sizes by the manual of dsyevr
  const int liwork = 10 * n;
  const double unused = 0;
  int found = 0;
  with_workspace("dsyevr", [&](double* work, const int* lwork) {
    int info = 0;
    dsyevr_("V", "I", "U", &n, S.data(), &n, &unused, &unused, &il, &n, &unused, &found,
            values.data(), vectors.data(), &ldz, support.data(), work, lwork, integers.data(),
            &liwork, &info);
    return info;
  });
  if (found != count)
    throw std::runtime_error("LAPACK's dsyevr found too few eigenvalues of a symmetric matrix");
  return {vectors.rowwise().reverse(), values.head(count).reverse()};
}

Eigenpairs semidefinite_eigenpairs(const Matrix& S) {
  Eigenpairs pairs = largest_eigenpairs(0.5 * (S + S.transpose()), S.rows());
  pairs.values = pairs.values.cwiseMax(0);
  return pairs;
}

Orthogonal orthogonal(const Matrix& M) {
  const int m = static_cast<int>(M.rows()), n = static_cast<int>(M.cols()), r = std::min(m, n);
  ColumnMajor a = M;
  Vector tau(r);
  with_workspace("dgeqrf", [&](double* work, const int* lwork) {
    int info = 0;
    dgeqrf_(&m, &n, a.data(), &m, tau.data(), work, lwork, &info);
    return info;
  });
  Orthogonal out;
  out.R = a.topRows(r).triangularView<Eigen::Upper>();
  with_workspace("dorgqr", [&](double* work, const int* lwork) {
    int info = 0;
    dorgqr_(&m, &r, &r, a.data(), &m, tau.data(), work, lwork, &info);
    return info;
  });
  out.Q = a.leftCols(r);
  return out;
}

SingularTriplets singular_triplets(const Matrix& M) {
  const int m = static_cast<int>(M.rows()), n = static_cast<int>(M.cols()), r = std::min(m, n);
  ColumnMajor a = M, u(m, r), vt(r, n);
  Vector sigma(r);
  Eigen::VectorXi integers(8 * r);
  with_workspace("dgesdd", [&](double* work, const int* lwork) {
    int info = 0;
    dgesdd_("S", &m, &n, a.data(), &m, sigma.data(), u.data(), &m, vt.data(), &r, work, lwork,
            integers.data(), &info);
    return info;
  });
  return {u, sigma, vt.transpose()};
}

}  // namespace bzscr
