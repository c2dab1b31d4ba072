// Its own namespace for Eigen: a function of it compiled here for another instruction set could be
// the copy that the linker keeps for everyone.
#define Eigen EigenOfThisMachine
#include <Eigen/Core>

#include "bench/eigen_kernels.h"

double eigen_logistic_row(float* F, const float* Delta, float base, long n) {
  using Array = Eigen::ArrayXf;
  thread_local Array rho, e;
  Eigen::Map<Array> scores(F, n);
  rho = scores - base + Eigen::Map<const Array>(Delta, n);
  e = (-rho.abs()).exp();
  scores = (rho < 0).select(e, 1.0f) / (1 + e);
  return static_cast<double>((rho.max(0.0f) + e.log1p()).sum()) + static_cast<double>(scores.sum());
}

int eigen_packet_floats() { return Eigen::internal::packet_traits<float>::size; }
