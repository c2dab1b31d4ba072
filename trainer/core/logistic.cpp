#include "core/logistic.h"

#include "core/clones.h"
#include "core/floats.h"

#include <cmath>
#include <cstdint>

namespace bzscr {
namespace {

using Ints = std::int32_t __attribute__((vector_size(64)));
using HalfFloats = float __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(64)));

// The sums of lanes l and l + 8, in double.
BZSCR_INLINE Doubles halves_added(Floats v) {
  const HalfFloats low = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
  const HalfFloats high = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_convertvector(low, Doubles) + __builtin_convertvector(high, Doubles);
}

// Pairwise sum of the lanes: three dependent additions instead of seven.
BZSCR_INLINE double sum(Doubles v) {
  v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
  return v[0] + v[1];
}

// e^x = 2^n e^r for x in [-87, 0]: 2^n by the exponent bits, e^r, |r| <= ln(2)/2, by the polynomial
// of Cephes.
BZSCR_INLINE Floats exp_negative(Floats x) {
  // 1.5 * 2^23: adding it rounds to an integer in the low bits.
  const float magic = 12582912.0f;
  const Floats shifted = x * 1.44269504f + magic;
  const Floats n = shifted - magic;
  const Floats r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  return (Floats)((Ints)p + ((Ints)shifted << 23));
}

}  // namespace

BZSCR_CLONES
LogisticSums logistic_row(float* F, const float* Delta, float base, Index n) {
  Doubles loss = {};
  Floats gradient = {};
  for (Index r = 0; r < n; r += kLanes<float>) {
    const Floats rho = load(F + r) - base + load(Delta + r);
    const Floats magnitude = rho < 0 ? rho : -rho;
    const Floats e = exp_negative(magnitude < -87.0f ? Floats{} - 87.0f : magnitude);
    // One division serves both 1/(1 + e) and e/(2 + e); ln(1 + e) = 2 artanh(e / (2 + e)).
    const Floats one = e + 1.0f, two = e + 2.0f;
    const Floats inverse = 1.0f / (one * two);
    const Floats below = inverse * two;  // sigmoid(|rho|)
    const Floats z = e * inverse * one, z2 = z * z;
    Floats p = z2 * 0.14013819f + 0.13999087f;  // artanh's series on [0, 1/9], least squares, 5e-9
    p = p * z2 + 0.20010896f;
    p = p * z2 + 0.33333206f;
    const Floats log1p = 2.0f * (z * z2 * p + z);
    // Zero below the range, and in padding: products with nearly denormal values take a hundred
    // times as long.
    const Floats sigma = rho < 0 ? (rho < -87.0f ? Floats{} : e * below) : below;
    loss += halves_added((rho > 0 ? rho : Floats{}) + log1p);
    gradient += sigma;
    store(sigma, F + r);
  }
  return {sum(loss), sum(halves_added(gradient))};
}

LogisticSums logistic_row(double* F, const double* Delta, double base, Index n) {
  LogisticSums sums{0, 0};
  for (Index r = 0; r < n; ++r) {
    const double rho = F[r] - base + Delta[r];
    const Logistic at = logistic(rho);
    sums.loss += at.softplus;
    F[r] = at.sigmoid;
    sums.gradient += F[r];
  }
  return sums;
}

Logistic logistic(double t) {
  const double e = std::exp(-std::fabs(t));
  return {std::fmax(t, 0) + std::log1p(e), (t < 0 ? e : 1) / (1 + e)};
}

}  // namespace bzscr
