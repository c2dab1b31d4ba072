#include "solver/base.h"

#include "core/certificate.h"
#include "core/refinement.h"
#include "decompositions.h"
#include "plain_loops.h"
#include "solver/boost.h"
#include "trainer/core/random_problem.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace bzscr;
using test::random_matrix;

namespace {

double loss_at(const Problem& problem, const Matrix& W) {
  return test::plain_losses(problem, test::plain_scores(problem, W), 0).sum();
}

/// The objective of W0 + W, whose penalty counts W alone, by plain loops.
double objective_at(const Problem& problem, const Matrix& W0, const Matrix& W, const Vector& s,
                    double beta, Penalty penalty) {
  const Vector losses = test::plain_losses(problem, test::plain_scores(problem, W0 + W), beta);
  const Vector sigma = test::plain_svd(W).sigma;
  return s.dot(losses) + penalty.trace * sigma.sum() + 0.5 * penalty.ridge * W.squaredNorm();
}

Inspection inspect_at(const Problem& problem, double beta, const Matrix& W, const Vector& s,
                      Penalty penalty) {
  const test::PlainSvd svd = test::plain_svd(W);
  const Vector root = svd.sigma.cwiseSqrt();
  return inspect(Sweep<double>(problem, beta), svd.U * root.asDiagonal(), svd.V * root.asDiagonal(),
                 svd.sigma.sum(), s, penalty);
}

}  // namespace

TEST_CASE("the ridge regression solves its normal equations, over classes with samples") {
  const test::RandomProblem random({513, 5, 3, 6, 2});
  const Problem& problem = random.problem;
  const Factors R = ridge_regression(problem, problem.Phi.topRows(6));
  const Matrix X = test::plain_features(problem.X);
  const Index present = 5;  // the last seen class has no sample
  Matrix M = Matrix::Zero(present, 5), P = problem.Phi.topRows(present);
  Vector counts = Vector::Zero(present);
  for (Index i = 0; i < X.rows(); ++i) {
    const Index y = problem.y[static_cast<std::size_t>(i)];
    M.row(y) += X.row(i);
    ++counts[y];
  }
  M = counts.cwiseInverse().asDiagonal() * M;
  M.rowwise() -= M.colwise().mean();
  P.rowwise() -= P.colwise().mean();
  const Matrix W = R.A * R.B.transpose();  // m x d
  const Matrix residual = (P.transpose() * P) * W.transpose() +
                          0.01 * P.squaredNorm() * W.transpose() - P.transpose() * M;
  CHECK(residual.cwiseAbs().maxCoeff() < 1e-6 * M.cwiseAbs().maxCoeff());
}

TEST_CASE("the base does not depend on the origin of the embeddings") {
  const test::RandomProblem random({120, 5, 3, 6, 2});
  Problem moved = random.problem;
  moved.Phi.rowwise() += Eigen::RowVector3d(1, -2, 3);
  const Factors here = ridge_regression(random.problem, random.problem.Phi.topRows(6)),
                there = ridge_regression(moved, moved.Phi.topRows(6));
  CHECK((here.A * here.B.transpose() - there.A * there.B.transpose()).norm() < 1e-9);
}

TEST_CASE("the factor of the base makes the loss of seen classes least") {
  for (const test::Shape& shape : {test::Shape{60, 5, 3, 6, 2}, test::Shape{300, 8, 6, 4, 0}}) {
    const test::RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Factors R = ridge_regression(problem, problem.Phi.topRows(problem.seen));
    const double a = base_scale(problem, R);
    REQUIRE(a > 0);
    const Matrix W = R.A * R.B.transpose();
    const double best = loss_at(problem, a * W);
    CHECK(best < loss_at(problem, 0 * W));
    for (const double other : {0.9, 1.1}) CHECK(best < loss_at(problem, other * a * W));
  }
}

TEST_CASE("a regression that is zero, or that no factor makes better than zero, is no base") {
  const test::RandomProblem random({60, 5, 3, 6, 2});
  const Problem& problem = random.problem;
  Factors R = ridge_regression(problem, problem.Phi.topRows(6));
  R.A *= -1;
  CHECK(base_scale(problem, R) == 0);
  R.A.setZero();
  CHECK(base_scale(problem, R) == 0);
  CHECK(ridge_regression(problem, Matrix::Ones(6, 3)).A.cols() == 0);
}

TEST_CASE("a base that separates the samples has a finite factor") {
  const Index C = 4;
  MatrixF file = MatrixF::Identity(C, C);
  Problem problem;
  problem.X.features = {file.data(), Storage::kFloat32, false, C, C};
  problem.X.rows = {0, 1, 2, 3};
  problem.X.scale = Vector::Ones(C);
  problem.y = {0, 1, 2, 3};
  problem.Phi = Matrix::Identity(C, C);
  problem.Delta = Matrix::Ones(C, C) - Matrix::Identity(C, C);
  problem.seen = C;
  const Factors R = ridge_regression(problem, problem.Phi);
  const double a = base_scale(problem, R);
  CHECK(a > 1);
  CHECK(std::isfinite(a));
}

TEST_CASE("with a base every pass scores W0 + W, and its derivatives are those of W alone") {
  for (const test::Shape& shape : test::awkward_shapes()) {
    const test::RandomProblem random(shape);
    Problem based = random.problem;
    based.base = {random_matrix(shape.m, 2, 7, 0.4), random_matrix(shape.p, 2, 8, 0.4)};
    const Matrix W0 = based.base.A * based.base.B.transpose();
    const Factors at{random_matrix(shape.m, 3, 1, 0.3), random_matrix(shape.p, 3, 2, 0.3)};
    const Matrix W = at.A * at.B.transpose();
    Factors both{Matrix(shape.m, 5), Matrix(shape.p, 5)};
    both.A << at.A, based.base.A;
    both.B << at.B, based.base.B;
    const Vector s = test::random_sample_weights(shape.N);
    const Sweep<double> with(based, 0.7), without(random.problem, 0.7);
    const auto a = with.factor_gradient(at.A, at.B, s),
               b = without.factor_gradient(both.A, both.B, s);
    CHECK(a.loss == doctest::Approx(b.loss).epsilon(1e-12));
    CHECK((a.A - b.A.leftCols(3)).norm() <= 1e-12 * (1 + b.A.norm()));
    CHECK((a.B - b.B.leftCols(3)).norm() <= 1e-12 * (1 + b.B.norm()));
    const auto c = with.negative_gradient(at.A, at.B, s),
               d = without.negative_gradient(both.A, both.B, s);
    CHECK((c.G - d.G).norm() <= 1e-12 * (1 + d.G.norm()));
    CHECK((c.losses - d.losses).norm() <= 1e-12 * (1 + d.losses.norm()));
    CHECK((with.curvature(at.A, at.B, s) - without.curvature(both.A, both.B, s)).norm() < 1e-11);
    const Ensemble joined = with_base(
        based,
        {at.A.colwise().normalized(), at.B.colwise().normalized(),
         (at.A.colwise().norm().array() * at.B.colwise().norm().array()).matrix().transpose()});
    CHECK((joined.U * joined.w.asDiagonal() * joined.V.transpose() - W0 - W).norm() <
          1e-4 * (1 + (W0 + W).norm()));
  }
}

TEST_CASE("with a base, no W has an objective below a lower bound, and refinement closes the gap") {
  const test::RandomProblem random({60, 6, 4, 9, 3});
  Problem problem = random.problem;
  problem.base = {random_matrix(6, 3, 11, 0.6), random_matrix(4, 3, 12, 0.6)};
  const Matrix W0 = problem.base.A * problem.base.B.transpose();
  const Vector s = test::random_sample_weights(60);
  const Sweep<double> sweep(problem, 0.7);
  for (const Penalty& penalty : {Penalty(0.06, 0.6), Penalty(2, 6), Penalty(0.6, 0)}) {
    CAPTURE(penalty.trace);
    CAPTURE(penalty.ridge);
    double highest_bound = -1e300, lowest_objective = 1e300;
    for (unsigned seed = 0; seed < 40; ++seed) {
      const Matrix W = random_matrix(6, 4, seed, 2 * std::pow(0.8, seed));
      const Certificate here = inspect_at(problem, 0.7, W, s, penalty).certificate;
      const double plain = objective_at(random.problem, W0, W, s, 0.7, penalty);
      CHECK(here.objective == doctest::Approx(plain).epsilon(1e-11));
      highest_bound = std::max(highest_bound, here.lower_bound);
      lowest_objective = std::min(lowest_objective, plain);
    }
    CHECK(highest_bound <= lowest_objective);
    Factors at{random_matrix(6, 4, 1, 0.1), random_matrix(4, 4, 2, 0.1)};
    LbfgsOptions options;
    options.max_evaluations = 5000;
    options.tolerance = 1e-10 * lowest_objective;
    refine(sweep, at, s, penalty, options);
    const Matrix W = at.A * at.B.transpose();
    const Certificate optimum = inspect_at(problem, 0.7, W, s, penalty).certificate;
    CHECK(optimum.relative_gap() < 1e-7);
    CHECK(optimum.objective <= lowest_objective);
    CHECK(optimum.lower_bound >= highest_bound);
    // The shifted problem itself: no small step from the optimum makes the plain objective less.
    const double best = objective_at(random.problem, W0, W, s, 0.7, penalty);
    for (unsigned seed = 0; seed < 20; ++seed)
      CHECK(objective_at(random.problem, W0, W + random_matrix(6, 4, seed, 1e-3), s, 0.7,
                         penalty) >= best * (1 - 1e-9));
  }
}

TEST_CASE(
    "refinement from a base ends with a certificate, and with the base alone for a large nu") {
  const test::RandomProblem random({400, 6, 4, 9, 3});
  Problem problem = random.problem;
  Factors R = ridge_regression(problem, problem.Phi.topRows(9));
  problem.base = {base_scale(problem, R) * R.A, R.B};
  BoostConfig config;
  config.select_samples = false;
  config.ridge = 0.01;
  Observer silent;
  const FeatureSpectrum spectrum = feature_spectrum(problem.X);
  for (const double gap : {1e-3, 1e-6}) {
    config.gap = gap;
    const Trained trained =
        boost_refined(problem, spectrum, config, fresh_start(problem, config), silent);
    CHECK(trained.ending == Ending::kConverged);
    CHECK(trained.certificate.relative_gap() <= gap);
    CHECK(trained.ensemble.w.size() > 0);
  }
  config.nu = 100;
  const Trained none =
      boost_refined(problem, spectrum, config, fresh_start(problem, config), silent);
  CHECK(none.ensemble.w.size() == 0);
  CHECK(none.ending == Ending::kConverged);
  const Ensemble base = with_base(problem, none.ensemble);
  CHECK((base.U * base.w.asDiagonal() * base.V.transpose() -
         problem.base.A * problem.base.B.transpose())
            .norm() < 1e-4 * base.w[0]);
}

namespace {

/// The least objective over W of the loss at W0 + W plus trace norm and ridge, by proximal gradient
/// steps with restarts, in plain loops over explicit matrices: nothing of the solver.
double proximal_optimum(const Matrix& X, const Labels& y, const Problem& problem, const Matrix& W0,
                        double beta, Penalty penalty) {
  Problem plain = problem;  // labels, embeddings and divergences; X is explicit
  plain.base = {};
  MatrixF file = X.cast<float>();
  plain.X = {{file.data(), Storage::kFloat32, false, file.rows(), file.cols()}, {}, {}};
  for (Index i = 0; i < X.rows(); ++i) plain.X.rows.push_back(i);
  plain.X.scale = Vector::Ones(X.rows());
  plain.y = y;
  const Vector s = Vector::Ones(X.rows());
  const auto value = [&](const Matrix& W) { return objective_at(plain, W0, W, s, beta, penalty); };
  const auto smooth = [&](const Matrix& W) {
    return test::plain_losses(plain, test::plain_scores(plain, W0 + W), beta).sum() +
           0.5 * penalty.ridge * W.squaredNorm();
  };
  Matrix W = Matrix::Zero(W0.rows(), W0.cols()), V = W;
  double t = 1, step = 1, best = value(W);
  for (int iteration = 0; iteration < 4000; ++iteration) {
    const Matrix F = test::plain_scores(plain, W0 + V);
    const Matrix G =
        -test::plain_negative_gradient(plain, test::plain_dual_weights(plain, F, s, beta)) +
        penalty.ridge * V;
    const double here = smooth(V);
    Matrix next;
    for (;; step /= 2) {
      const test::PlainSvd svd = test::plain_svd(V - step * G);
      const Vector sigma = (svd.sigma.array() - step * penalty.trace).max(0);
      next = svd.U * sigma.asDiagonal() * svd.V.transpose();
      const Matrix D = next - V;
      if (smooth(next) <=
          here + G.cwiseProduct(D).sum() + D.squaredNorm() / (2 * step) + 1e-13 * std::abs(here))
        break;
    }
    const double now = value(next);
    if (now > best) {  // momentum went too far
      V = W;
      t = 1;
      continue;
    }
    const double after = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    V = next + (t - 1) / after * (next - W);
    const bool done = (next - W).norm() <= 1e-12 * (1 + next.norm());
    W = next;
    t = after;
    best = now;
    if (done) break;
  }
  return best;
}

}  // namespace

TEST_CASE(
    "with a base, own parts, centred and standardised features refinement reaches the optimum of "
    "proximal gradient steps, and certifies it") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    const test::RandomProblem random({40, 5, 3, 6, 2}, seed);
    Problem problem = random.problem;
    const Matrix values = random_matrix(5, 3, 30 + seed);
    problem.X.centre = 0.3 * values.col(0);
    problem.X.columns = std::make_shared<ColumnScaling>(
        ColumnScaling{values.col(1).cast<float>(), values.col(2).cwiseAbs().cast<float>()});
    Matrix Phi = Matrix::Zero(8, 3 + 6);  // a dimension of its own for each seen class
    Phi.leftCols(3) = problem.Phi;
    Phi.topRightCorner(6, 6).diagonal().setConstant(0.7);
    problem.Phi = Phi;
    problem.base = {random_matrix(5, 2, 40 + seed, 0.5), random_matrix(9, 2, 50 + seed, 0.5)};
    const auto N = static_cast<double>(problem.samples());
    BoostConfig config;
    config.nu = 0.01;
    config.beta = 0.4;
    config.ridge = 0.02;
    config.select_samples = false;
    config.gap = 9e-7;
    Observer quiet;
    const Trained trained = boost_refined(problem, feature_spectrum(problem.X), config,
                                          fresh_start(problem, config), quiet);
    const double optimum = proximal_optimum(test::plain_features(problem.X), problem.y, problem,
                                            problem.base.A * problem.base.B.transpose(), 0.4,
                                            {config.nu * N, config.ridge * N});
    CHECK(trained.certificate.objective == doctest::Approx(optimum).epsilon(1e-6));
    CHECK(trained.certificate.lower_bound <= optimum * (1 + 1e-6));  // X is rounded to float32
    CHECK(trained.ensemble.w.size() > 0);
  }
}
