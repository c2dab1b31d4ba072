#include "support/libraries.h"

#include <bzscr_train/bzscr_train.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace bzscr::cli {
namespace {

constexpr const char* kCoreType = "OPENBLAS_CORETYPE";
constexpr const char* kChosenByUs = "BZSCR_BLAS_CHOSEN";  // tells the second start who set it
constexpr const char* kBlasThreads = "OPENBLAS_NUM_THREADS";
constexpr const char* kWaitPolicy = "OMP_WAIT_POLICY";
constexpr const char* kSpinCount = "GOMP_SPINCOUNT";

// What this processor can run, best first; empty where the library's own choice is good.
std::vector<std::string> better_core_types(const std::string& kernels) {
  std::vector<std::string> types;
#if defined(__x86_64__)
  const bool fallback = kernels == "Prescott" || kernels == "Core2" || kernels == "Generic";
  if (!fallback) return types;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    types.push_back("SKYLAKEX");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) types.push_back("HASWELL");
#else
  (void)kernels;
#endif
  return types;
}

// Both libraries read their settings as they are loaded, before main: hence a second start. Returns
// only where the system has no /proc; then it goes on with what there is.
void start_again(char** argv) { execv("/proc/self/exe", argv); }

void choose_core_type(const std::string& type) {
  setenv(kCoreType, type.c_str(), 1);
  setenv(kChosenByUs, type.c_str(), 1);
}

}  // namespace

void prepare_libraries(char** argv) {
  const bool spins = !std::getenv(kWaitPolicy) && !std::getenv(kSpinCount);
  const bool starts_threads = !std::getenv(kBlasThreads);
  if (starts_threads) setenv(kBlasThreads, "1", 1);
  if (spins) setenv(kWaitPolicy, "passive", 1);
  if (starts_threads || spins) start_again(argv);

  const train::LinearAlgebra blas = train::linear_algebra();
  const char* ours = std::getenv(kChosenByUs);
  const char* set = std::getenv(kCoreType);
  if (!ours && !set) {
    if (const auto types = better_core_types(blas.kernels); !types.empty()) {
      choose_core_type(types.front());
      start_again(argv);
    }
  }
  if (blas.correct) return;
  if (ours && std::string(ours) == "SKYLAKEX") {
    choose_core_type("HASWELL");
    start_again(argv);
  }
  throw InputError(fmt::format(
      "the BLAS library ({}) gives wrong products on this processor; expected right ones: set "
      "{}={}, or install another BLAS",
      blas.description, kCoreType, set && std::string(set) == "HASWELL" ? "PRESCOTT" : "HASWELL"));
}

}  // namespace bzscr::cli
