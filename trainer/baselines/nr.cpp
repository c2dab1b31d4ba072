#include "baselines/nr.h"

#include "core/feature_blocks.h"
#include "core/lbfgs.h"
#include "core/reducer.h"

#include <cmath>
#include <random>

namespace bzscr {
namespace {

// The layout of a network in one flat vector of parameters.
struct Layout {
  Index m, h, p;
  Index size() const { return h * m + h + p * h + p; }

  template <class Values>  // Vector or const Vector
  struct View {
    using Data = std::conditional_t<std::is_const_v<Values>, const double, double>;
    using MatrixMap = Eigen::Map<std::conditional_t<std::is_const_v<Values>, const Matrix, Matrix>>;
    using VectorMap = Eigen::Map<std::conditional_t<std::is_const_v<Values>, const Vector, Vector>>;
    View(const Layout& at, Data* data)
        : W1(data, at.h, at.m),
          b1(data + at.h * at.m, at.h),
          W2(data + at.h * at.m + at.h, at.p, at.h),
          b2(data + at.h * at.m + at.h + at.p * at.h, at.p) {}
    MatrixMap W1;
    VectorMap b1;
    MatrixMap W2;
    VectorMap b2;
  };
  View<const Vector> parts(const Vector& theta) const { return {*this, theta.data()}; }
  View<Vector> parts(Vector& theta) const { return {*this, theta.data()}; }
};

struct NetworkF {
  MatrixF W1t, W2t;  // m x h, h x p
  VectorF b1, b2;
};

MatrixF hidden_layer(const NetworkF& net, const MatrixF& X) {
  MatrixF H = X * net.W1t;
  H.rowwise() += net.b1.transpose();
  return H.array().tanh();
}

// Computes the contribution of one block to the loss and its gradient, in single precision.
struct Worker {
  Worker(const Problem& problem, const NetworkF& net, const MatrixF& Phi)
      : problem_(problem), net_(net), Phi_(Phi), features_(problem.X) {}

  void visit(Index first, Index count) {
    const MatrixF X = problem_.X.scale.segment(first, count).cast<float>().asDiagonal() *
                      features_.read(first, count);
    const MatrixF H = hidden_layer(net_, X);
    MatrixF R = H * net_.W2t;
    for (Index i = 0; i < count; ++i)
      R.row(i) += net_.b2.transpose() - Phi_.row(problem_.y[static_cast<std::size_t>(first + i)]);
    loss = 0.5 * static_cast<double>(R.squaredNorm());
    W2.noalias() = R.transpose() * H;
    b2 = R.colwise().sum().transpose();
    const MatrixF T = (R * net_.W2t.transpose()).array() * (1 - H.array().square());
    W1.noalias() = T.transpose() * X;
    b1 = T.colwise().sum().transpose();
  }

  const Problem& problem_;
  const NetworkF& net_;
  const MatrixF& Phi_;
  FeatureBlocks<float> features_;
  double loss = 0;
  MatrixF W1, W2;
  VectorF b1, b2;
};

}  // namespace

Network nonlinear_regression(const Problem& problem, const NrConfig& config,
                             const std::function<bool()>& stop) {
  const Layout layout{problem.X.dimension(), config.hidden, problem.Phi.cols()};
  const MatrixF Phi = problem.Phi.cast<float>();
  const auto N = static_cast<double>(problem.samples());

  const Differentiable f = [&](const Vector& theta, Vector& gradient) {
    const auto at = layout.parts(theta);
    const NetworkF net{at.W1.transpose().cast<float>(), at.W2.transpose().cast<float>(),
                       at.b1.cast<float>(), at.b2.cast<float>()};
    gradient = config.lambda * theta;
    auto partial = layout.parts(gradient);
    double loss = 0;
    reduce_blocks(
        problem.X.execution, problem.samples(), [&] { return Worker(problem, net, Phi); },
        [&](const Worker& worker) {
          loss += worker.loss;
          partial.W1 += worker.W1.cast<double>() / N;
          partial.b1 += worker.b1.cast<double>() / N;
          partial.W2 += worker.W2.cast<double>() / N;
          partial.b2 += worker.b2.cast<double>() / N;
        });
    return loss / N + config.lambda / 2 * theta.squaredNorm();
  };

  Vector theta = Vector::Zero(layout.size());
  auto start = layout.parts(theta);
  std::mt19937_64 random(config.seed);
  const auto fill = [&](auto& W) {
    const double bound = std::sqrt(6 / static_cast<double>(W.rows() + W.cols()));
    for (Index i = 0; i < W.size(); ++i)
      W.data()[i] = bound * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  };
  fill(start.W1);
  fill(start.W2);

  LbfgsOptions options;
  options.max_evaluations = config.max_evaluations;
  options.noise = 1e-7;
  options.tolerance = 1e-5;
  minimise(f, theta, options, [&](double) { return stop && stop(); });
  const auto end = layout.parts(static_cast<const Vector&>(theta));
  return {end.W1, end.b1, end.W2, end.b2};
}

MatrixF scores(const Samples& X, const Network& network, const Matrix& Phi) {
  const NetworkF net{network.W1.transpose().cast<float>(), network.W2.transpose().cast<float>(),
                     network.b1.cast<float>(), network.b2.cast<float>()};
  const MatrixF PhiT = Phi.transpose().cast<float>();
  const Eigen::RowVectorXf half_squares =
      0.5 * Phi.rowwise().squaredNorm().transpose().cast<float>();
  struct Scorer {
    const Samples& X;
    const NetworkF& net;
    const MatrixF& PhiT;
    const Eigen::RowVectorXf& half_squares;
    MatrixF& F;
    FeatureBlocks<float> features;
    void visit(Index first, Index count) {
      const MatrixF block =
          X.scale.segment(first, count).cast<float>().asDiagonal() * features.read(first, count);
      MatrixF image = hidden_layer(net, block) * net.W2t;
      image.rowwise() += net.b2.transpose();
      F.middleRows(first, count) = (image * PhiT).rowwise() - half_squares;
    }
  };
  MatrixF F(X.size(), Phi.rows());
  reduce_blocks(
      X.execution, X.size(),
      [&] { return Scorer{X, net, PhiT, half_squares, F, FeatureBlocks<float>(X)}; },
      [](const Scorer&) {});
  return F;
}

}  // namespace bzscr
