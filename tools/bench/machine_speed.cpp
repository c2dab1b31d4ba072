#include "bench/machine_speed.h"

#include "types/linalg.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace bzscr::bench {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double measured_peak(int threads) {
  constexpr int kRounds = 15;
  double peak = 0;
  for (const Index n : {256, 512, 1024}) {
    const Index times = std::max<Index>(1, 64 * 1024 * 1024 / (n * n * n));
    double gflops = 0;
#pragma omp parallel num_threads(threads) reduction(+ : gflops)
    {
      const MatrixF A = MatrixF::Constant(n, n, 0.5f), B = MatrixF::Constant(n, n, 0.25f);
      MatrixF C(n, n);
      C.noalias() = A * B;  // memory and kernels are warm
      std::vector<double> seconds;
#pragma omp barrier
      for (int round = 0; round < kRounds; ++round) {
        const double start = clock_seconds();
        for (Index time = 0; time < times; ++time) C.noalias() = A * B;
        seconds.push_back(clock_seconds() - start);
      }
      gflops += 2e-9 * static_cast<double>(n * n * n * times) / median(seconds);
    }
    peak = std::max(peak, gflops);
  }
  return peak;
}

void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::int64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

}  // namespace bzscr::bench
