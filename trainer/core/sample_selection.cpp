#include "core/sample_selection.h"

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

double at_rank(std::vector<double>& values, double share) {
  const auto n = static_cast<double>(values.size());
  const auto rank = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(share * n) - 1, 0.0, n - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

}  // namespace

SelectionParameters parameters_for_share(const Vector& losses, double share, double full_share) {
  std::vector<double> values(losses.data(), losses.data() + losses.size());
  // Slightly above the loss at that rank, so that this sample and all of equal loss are selected.
  const double lambda = at_rank(values, share) * (1 + 1e-9);
  const double full = std::min(at_rank(values, share * full_share), lambda * (1 - 1e-9));
  return {lambda, full * lambda / (lambda - full)};
}

double select_sample(double loss, const SelectionParameters& parameters) {
  if (loss <= parameters.full()) return 1;
  if (loss >= parameters.lambda) return 0;
  // zeta/l - zeta/lambda, without cancellation.
  return std::min(1.0, parameters.zeta * (parameters.lambda - loss) / parameters.lambda / loss);
}

Vector select_samples(const Vector& losses, const SelectionParameters& parameters) {
  return losses.unaryExpr([&](double l) { return select_sample(l, parameters); });
}

double SampleWeights::selected_value(double l) const {
  const double full = parameters_.full();
  if (l <= full) return l;
  const double reached = std::min(l, parameters_.lambda);
  return parameters_.zeta * (1 - reached / parameters_.lambda + std::log(reached / full));
}

}  // namespace bzscr
