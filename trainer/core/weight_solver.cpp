#include "core/weight_solver.h"

#include "core/lbfgs.h"

namespace bzscr {

template <class Scalar>
Weights solve_weights(
    const Sweep<Scalar>& sweep,
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>& P,
    const Matrix& Z, Vector w, const Vector& s, double regularisation) {
  const auto objective = [&](const Vector& at, Vector& gradient) {
    const auto here = sweep.weight_gradient(P, Z, at, s);
    gradient = here.w.array() + regularisation;
    return here.loss + regularisation * at.sum();
  };
  LbfgsOptions options;
  // Of the dual constraint, Eq. (18): sum <= nu for every weak model.
  options.tolerance = 5e-5 * regularisation;
  options.max_evaluations = 1000;
  options.noise = kSumNoise<Scalar>;
  const LbfgsResult result = minimise_nonnegative(objective, w, options);
  return {std::move(w), result.value, result.evaluations};
}

template Weights solve_weights(const Sweep<float>&, const Eigen::Ref<const Eigen::MatrixXf>&,
                               const Matrix&, Vector, const Vector&, double);
template Weights solve_weights(const Sweep<double>&, const Eigen::Ref<const Eigen::MatrixXd>&,
                               const Matrix&, Vector, const Vector&, double);

}  // namespace bzscr
