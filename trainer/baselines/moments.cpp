#include "baselines/moments.h"

#include "core/feature_blocks.h"
#include "core/reducer.h"

namespace bzscr {
namespace {

struct Worker {
  explicit Worker(const Problem& problem)
      : problem_(problem),
        features_(problem.X),
        XX(problem.X.dimension(), problem.X.dimension()),
        class_sums(problem.X.dimension(), problem.seen) {}

  void visit(Index first, Index count) {
    const Matrix X =
        problem_.X.scale.segment(first, count).asDiagonal() * Matrix(features_.read(first, count));
    XX.noalias() = X.transpose() * X;
    class_sums.setZero();
    for (Index i = 0; i < count; ++i)
      class_sums.col(problem_.y[static_cast<std::size_t>(first + i)]) += X.row(i).transpose();
  }

  const Problem& problem_;
  FeatureBlocks<double> features_;
  Matrix XX, class_sums;
};

}  // namespace

Moments moments(const Problem& problem) {
  const Index m = problem.X.dimension();
  Moments sums;
  sums.samples = problem.samples();
  sums.class_sums = Matrix::Zero(m, problem.seen);
  sums.counts = Vector::Zero(problem.seen);
  for (const std::int32_t y : problem.y) ++sums.counts[y];
  Matrix XX = Matrix::Zero(m, m);
  reduce_blocks(
      problem.X.execution, problem.samples(), [&] { return Worker(problem); },
      [&](const Worker& worker) {
        XX += worker.XX;
        sums.class_sums += worker.class_sums;
      });
  sums.XX = semidefinite_eigenpairs(XX);
  return sums;
}

Matrix ridge_solve(const Eigenpairs& XX, double ridge, const Matrix& M) {
  return XX.vectors * ((XX.values.array() + ridge).inverse().matrix().asDiagonal() *
                       (XX.vectors.transpose() * M));
}

}  // namespace bzscr
