#include "cli/libraries.h"

#include "bzscr_train/error.hpp"
#include "core/blas.h"
#include "types/linalg.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" const char* openblas_get_corename();
extern "C" const char* openblas_get_config();

namespace bzscr {
namespace {

constexpr const char* kCoreType = "OPENBLAS_CORETYPE";
constexpr const char* kChosenByUs = "BZSCR_BLAS_CHOSEN";  // tells the second start who set it
constexpr const char* kBlasThreads =
    "OPENBLAS_NUM_THREADS";  // those it would start spin, though it is not let use them
constexpr const char* kWaitPolicy = "OMP_WAIT_POLICY";
constexpr const char* kSpinCount = "GOMP_SPINCOUNT";

// What this processor can run, best first; empty where the library's own choice is to be trusted.
std::vector<std::string> better_core_types() {
#if defined(__x86_64__)
  const std::string core = openblas_get_corename();
  const bool fallback = core == "Prescott" || core == "Core2" || core == "Generic";
  std::vector<std::string> types;
  if (!fallback) return types;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    types.push_back("SKYLAKEX");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) types.push_back("HASWELL");
  return types;
#else
  return {};
#endif
}

// Both libraries read their settings as they are loaded, before main: hence a second start. Returns
// only where the system has no /proc; then it goes on with what there is.
void start_again(char** argv) { execv("/proc/self/exe", argv); }

void choose_core_type(const std::string& type) {
  setenv(kCoreType, type.c_str(), 1);
  setenv(kChosenByUs, type.c_str(), 1);
}

template <class Scalar>
RowMatrix<Scalar> pattern(Index rows, Index columns) {
  RowMatrix<Scalar> out(rows, columns);
  for (Index i = 0; i < out.size(); ++i)
    out.data()[i] = static_cast<Scalar>((i * 7919) % 101 - 50) / 64;
  return out;
}

// Whether P = L R, by what both do to a vector (Freivalds 1977), in plain loops.
template <class Product, class Left, class Right>
bool is_product(const Product& P, const Left& L, const Right& R) {
  Vector r(P.cols());
  for (Index j = 0; j < r.size(); ++j) r[j] = static_cast<double>(1 + j * 31 % 97);
  const Vector through_R = R.template cast<double>().lazyProduct(r);
  const Vector expected = L.template cast<double>().lazyProduct(through_R),
               found = P.template cast<double>().lazyProduct(r);
  return (found - expected).cwiseAbs().maxCoeff() <= 1e-4;
}

// Products of awkward shapes, in each order of storage that the sweep uses. The pattern's sums are
// exact in Scalar, so any difference is an error.
template <class Scalar>
bool multiplies_rightly() {
  for (const auto& [n, m, k] :
       {std::array<Index, 3>{1, 1, 1}, {7, 33, 5}, {37, 130, 19}, {129, 257, 48}, {512, 96, 35}}) {
    const RowMatrix<Scalar> X = pattern<Scalar>(n, m), A = pattern<Scalar>(m, k),
                            B = pattern<Scalar>(n, k);
    RowMatrix<Scalar> XA(n, k), XtB(m, k), XXt(n, n);
    XA.noalias() = X * A;
    XtB.noalias() = X.transpose() * B;
    XXt.noalias() = X * X.transpose();
    if (!is_product(XA, X, A) || !is_product(XtB, X.transpose(), B) ||
        !is_product(XXt, X, X.transpose()))
      return false;
  }
  return true;
}

std::string blas_description() {
  return fmt::format("{}; {} kernels", openblas_get_config(), openblas_get_corename());
}

}  // namespace

void prepare_libraries(char** argv) {
  use_single_threaded_blas();
  const char* ours = std::getenv(kChosenByUs);
  const char* set = std::getenv(kCoreType);
  if (!ours) {
    const std::vector<std::string> types = set ? std::vector<std::string>{} : better_core_types();
    const bool spins = !std::getenv(kWaitPolicy) && !std::getenv(kSpinCount);
    const bool starts_threads = !std::getenv(kBlasThreads);
    if (starts_threads) setenv(kBlasThreads, "1", 1);
    if (spins) setenv(kWaitPolicy, "passive", 1);
    if (!types.empty()) choose_core_type(types.front());
    if (starts_threads || spins || !types.empty()) start_again(argv);
  }
  if (multiplies_rightly<float>() && multiplies_rightly<double>()) return;
  if (ours && std::string(ours) == "SKYLAKEX") {
    choose_core_type("HASWELL");
    start_again(argv);
  }
  throw InputError(
      fmt::format("the BLAS library ({}) gives wrong products on this processor; expected right "
                  "ones: set {}={}, or "
                  "install another BLAS",
                  blas_description(), kCoreType,
                  set && std::string(set) == "HASWELL" ? "PRESCOTT" : "HASWELL"));
}

}  // namespace bzscr
