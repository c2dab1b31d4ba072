#include "plain_loops.h"

#include "decompositions.h"

#include <cmath>

namespace bzscr::test {
namespace {

double softplus(double t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }
double sigmoid(double t) { return 1 / (1 + std::exp(-t)); }
double x_ln_x(double x) { return x > 0 ? x * std::log(x) : 0; }

Index label(const Problem& problem, Index i) { return problem.y[static_cast<std::size_t>(i)]; }

double target_mean(const Problem& problem, Index y) {
  double sum = 0;
  for (Index r = problem.seen; r < problem.classes(); ++r) sum += problem.Delta(y, r);
  return sum / static_cast<double>(problem.targets());
}

double value_at(const FeatureView& view, Index i, Index j) {
  const Index at = view.column_major ? j * view.rows + i : i * view.columns + j;
  switch (view.storage) {
    case Storage::kFloat16:
      return static_cast<double>(static_cast<const Eigen::half*>(view.data)[at]);
    case Storage::kFloat32: return static_cast<double>(static_cast<const float*>(view.data)[at]);
    case Storage::kFloat64: return static_cast<const double*>(view.data)[at];
  }
  return 0;
}

}  // namespace

Matrix plain_features(const Samples& samples) {
  Matrix X(samples.size(), samples.dimension());
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j) {
      double x = value_at(samples.features, samples.rows[static_cast<std::size_t>(i)], j);
      if (samples.columns != nullptr)
        x = (x - samples.columns->mean[j]) * samples.columns->factor[j];
      X(i, j) = samples.scale[i] * x - (samples.centre.size() > 0 ? samples.centre[j] : 0);
    }
  return X;
}

Matrix plain_scores(const Problem& problem, const Matrix& W) {
  const Matrix X = plain_features(problem.X);
  Matrix F = Matrix::Zero(problem.samples(), problem.classes());
  for (Index i = 0; i < F.rows(); ++i)
    for (Index r = 0; r < F.cols(); ++r)
      for (Index a = 0; a < W.rows(); ++a)
        for (Index b = 0; b < W.cols(); ++b) F(i, r) += X(i, a) * W(a, b) * problem.Phi(r, b);
  return F;
}

Matrix plain_margins(const Problem& problem, const Matrix& F) {
  Matrix rho(problem.samples(), problem.seen);
  for (Index i = 0; i < rho.rows(); ++i)
    for (Index r = 0; r < rho.cols(); ++r) {
      const Index y = label(problem, i);
      rho(i, r) = F(i, r) - F(i, y) + problem.Delta(y, r);
    }
  return rho;
}

Vector plain_covariances(const Problem& problem, const Matrix& F) {
  Vector cov = Vector::Zero(problem.samples());
  if (problem.targets() == 0) return cov;
  const auto T = static_cast<double>(problem.targets());
  for (Index i = 0; i < cov.size(); ++i) {
    const Index y = label(problem, i);
    double product = 0, delta = 0, score = 0;
    for (Index r = problem.seen; r < problem.classes(); ++r) {
      product += problem.Delta(y, r) * F(i, r);
      delta += problem.Delta(y, r);
      score += F(i, r);
    }
    cov[i] = product / T - (delta / T) * (score / T);
  }
  return cov;
}

Vector plain_losses(const Problem& problem, const Matrix& F, double beta) {
  const Matrix rho = plain_margins(problem, F);
  const Vector cov = plain_covariances(problem, F);
  Vector losses(problem.samples());
  for (Index i = 0; i < losses.size(); ++i) {
    losses[i] = beta * softplus(cov[i]);
    for (Index r = 0; r < problem.seen; ++r) losses[i] += softplus(rho(i, r));
  }
  return losses;
}

Matrix plain_dual_weights(const Problem& problem, const Matrix& F, const Vector& s, double beta) {
  const Matrix rho = plain_margins(problem, F);
  const Vector cov = plain_covariances(problem, F);
  Matrix Q(problem.samples(), problem.classes());
  for (Index i = 0; i < Q.rows(); ++i)
    for (Index r = 0; r < Q.cols(); ++r) {
      const Index y = label(problem, i);
      if (r < problem.seen)
        Q(i, r) = s[i] * sigmoid(rho(i, r));
      else
        Q(i, r) = s[i] * beta * sigmoid(cov[i]) * (problem.Delta(y, r) - target_mean(problem, y)) /
                  static_cast<double>(problem.targets());
    }
  return Q;
}

Matrix plain_negative_gradient(const Problem& problem, const Matrix& Q) {
  const Matrix X = plain_features(problem.X);
  Matrix G = Matrix::Zero(X.cols(), problem.Phi.cols());
  for (Index i = 0; i < Q.rows(); ++i)
    for (Index r = 0; r < Q.cols(); ++r)
      for (Index a = 0; a < G.rows(); ++a)
        for (Index b = 0; b < G.cols(); ++b)
          G(a, b) += Q(i, r) * X(i, a) * (problem.Phi(label(problem, i), b) - problem.Phi(r, b));
  return G;
}

double plain_objective(const Problem& problem, const Matrix& W, const Vector& s, double beta,
                       double regularisation) {
  return s.dot(plain_losses(problem, plain_scores(problem, W), beta)) +
         regularisation * trace_norm(W);
}

double plain_dual(const Problem& problem, const Matrix& F, const Vector& s, double beta,
                  double tau) {
  const Matrix rho = plain_margins(problem, F);
  const Vector cov = plain_covariances(problem, F);
  double D = 0;
  for (Index i = 0; i < s.size(); ++i) {
    for (Index r = 0; r < problem.seen; ++r) {
      const double q = tau * s[i] * sigmoid(rho(i, r));
      D += q * problem.Delta(label(problem, i), r) - (x_ln_x(q) + x_ln_x(s[i] - q) - x_ln_x(s[i]));
    }
    const double z = tau * s[i] * sigmoid(cov[i]);
    D -= beta * (x_ln_x(z) + x_ln_x(s[i] - z) - x_ln_x(s[i]));
  }
  return D;
}

}  // namespace bzscr::test
