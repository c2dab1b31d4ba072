#include "core/sweep.h"

#include "plain_loops.h"
#include "random_problem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

namespace bzscr {
namespace {

using test::random_matrix;
using test::RandomProblem;
using test::Shape;

template <class Scalar>
constexpr double kTolerance = sizeof(Scalar) == 4 ? 2e-5 : 1e-12;

/// Largest difference of entries, relative to the largest entry.
double difference(const Matrix& got, const Matrix& expected) {
  REQUIRE(got.rows() == expected.rows());
  REQUIRE(got.cols() == expected.cols());
  return (got - expected).cwiseAbs().maxCoeff() / std::max(1e-3, expected.cwiseAbs().maxCoeff());
}

/// A point to look at: k is more than min(m, p) for most shapes.
struct Point {
  Matrix A, B;
  Matrix W() const { return A * B.transpose(); }
};
Point point_of(const Problem& problem, Index k) {
  return {random_matrix(problem.X.dimension(), k, 11, 0.6),
          random_matrix(problem.Phi.cols(), k, 12, 0.6)};
}

/// Every awkward shape, with the correlation term and without, with one weak model and with many.
template <class Check>
void everywhere(Check check) {
  for (const Shape& shape : test::awkward_shapes()) {
    const RandomProblem random(shape);
    const Vector s = test::random_sample_weights(shape.N);
    // Features as they are, and features with a centre and a column scaling.
    Problem transformed = random.problem;
    const Matrix values = random_matrix(shape.m, 3, 21);
    transformed.X.centre = 0.3 * values.col(0);
    transformed.X.columns = std::make_shared<ColumnScaling>(
        ColumnScaling{values.col(1).cast<float>(), values.col(2).cwiseAbs().cast<float>()});
    for (const double beta : {0.0, 0.7})
      for (const Index k : {1, 6}) {
        CAPTURE(shape.N);
        CAPTURE(shape.seen);
        CAPTURE(shape.targets);
        CAPTURE(beta);
        CAPTURE(k);
        check(random.problem, point_of(random.problem, k), s, beta);
        CAPTURE("transformed");
        check(transformed, point_of(transformed, k), s, beta);
      }
  }
}

TEST_CASE_TEMPLATE("losses agree with plain loops", Scalar, float, double) {
  everywhere([](const Problem& problem, const Point& at, const Vector&, double beta) {
    const Vector expected = test::plain_losses(problem, test::plain_scores(problem, at.W()), beta);
    CHECK(difference(Sweep<Scalar>(problem, beta).losses(at.A, at.B), expected) <
          kTolerance<Scalar>);
  });
}

TEST_CASE_TEMPLATE("loss, losses and G of one pass agree with plain loops", Scalar, float, double) {
  everywhere([](const Problem& problem, const Point& at, const Vector& s, double beta) {
    const Matrix F = test::plain_scores(problem, at.W());
    const Vector losses = test::plain_losses(problem, F, beta);
    const auto pass = Sweep<Scalar>(problem, beta).negative_gradient(at.A, at.B, s);
    CHECK(pass.loss == doctest::Approx(s.dot(losses)).epsilon(kTolerance<Scalar>));
    CHECK(difference(pass.losses, losses) < kTolerance<Scalar>);
    CHECK(difference(pass.G, test::plain_negative_gradient(
                                 problem, test::plain_dual_weights(problem, F, s, beta))) <
          kTolerance<Scalar>);
  });
}

TEST_CASE_TEMPLATE("gradients in both factors follow from the G of plain loops by the chain rule",
                   Scalar, float, double) {
  everywhere([](const Problem& problem, const Point& at, const Vector& s, double beta) {
    const Matrix F = test::plain_scores(problem, at.W());
    const Matrix G =
        test::plain_negative_gradient(problem, test::plain_dual_weights(problem, F, s, beta));
    const auto pass = Sweep<Scalar>(problem, beta).factor_gradient(at.A, at.B, s);
    CHECK(pass.loss ==
          doctest::Approx(s.dot(test::plain_losses(problem, F, beta))).epsilon(kTolerance<Scalar>));
    CHECK(difference(pass.A, -G * at.B) < kTolerance<Scalar>);
    CHECK(difference(pass.B, -G.transpose() * at.A) < kTolerance<Scalar>);
  });
}

// Q comes from a derivation (Appendix A). The loss's own slope checks it without repeating it.
TEST_CASE("gradients in both factors are difference quotients of the plain loss") {
  for (const Shape& shape : {Shape{1, 5, 3, 2, 2}, Shape{7, 3, 4, 3, 1}, Shape{17, 4, 2, 16, 3}}) {
    const RandomProblem random(shape);
    const Problem& problem = random.problem;
    const Vector s = test::random_sample_weights(shape.N);
    for (const double beta : {0.0, 0.7}) {
      const Point at = point_of(problem, 3);
      const auto loss = [&](const Point& there) {
        return s.dot(test::plain_losses(problem, test::plain_scores(problem, there.W()), beta));
      };
      const auto gradient = [&](Matrix Point::*factor, Index i, Index j) {
        Point up = at, down = at;
        (up.*factor)(i, j) += 1e-5;
        (down.*factor)(i, j) -= 1e-5;
        return (loss(up) - loss(down)) / 2e-5;
      };
      const auto pass = Sweep<double>(problem, beta).factor_gradient(at.A, at.B, s);
      Matrix A(at.A.rows(), 3), B(at.B.rows(), 3);
      for (Index j = 0; j < 3; ++j) {
        for (Index i = 0; i < A.rows(); ++i) A(i, j) = gradient(&Point::A, i, j);
        for (Index i = 0; i < B.rows(); ++i) B(i, j) = gradient(&Point::B, i, j);
      }
      CHECK(difference(pass.A, A) < 1e-7);
      CHECK(difference(pass.B, B) < 1e-7);
    }
  }
}

TEST_CASE_TEMPLATE("gradient and loss in the weights agree with plain loops", Scalar, float,
                   double) {
  everywhere([](const Problem& problem, const Point& at, const Vector& s, double beta) {
    const Index k = at.A.cols();
    const Vector w = random_matrix(k, 1, 21).cwiseAbs();
    const Sweep<Scalar> sweep(problem, beta);
    const auto P = sweep.project(at.A);
    CHECK(difference(P.template cast<double>(), test::plain_features(problem.X) * at.A) <
          kTolerance<Scalar>);

    const Matrix F = test::plain_scores(problem, at.A * w.asDiagonal() * at.B.transpose());
    const Matrix G =
        test::plain_negative_gradient(problem, test::plain_dual_weights(problem, F, s, beta));
    Vector expected(k);
    for (Index j = 0; j < k; ++j) expected[j] = -at.A.col(j).dot(G * at.B.col(j));
    const auto pass = sweep.weight_gradient(P, problem.Phi * at.B, w, s);
    CHECK(pass.loss ==
          doctest::Approx(s.dot(test::plain_losses(problem, F, beta))).epsilon(kTolerance<Scalar>));
    CHECK(difference(pass.w, expected) < kTolerance<Scalar>);
  });
}

TEST_CASE_TEMPLATE("the dual objective agrees with plain loops", Scalar, float, double) {
  everywhere([](const Problem& problem, const Point& at, const Vector& s, double beta) {
    const Matrix F = test::plain_scores(problem, at.W());
    for (const double tau : {1.0, 0.6, 1e-3, 0.0}) {
      CAPTURE(tau);
      const double scale = s.sum() * static_cast<double>(problem.seen);
      CHECK(std::fabs(Sweep<Scalar>(problem, beta).dual(at.A, at.B, s, tau) -
                      test::plain_dual(problem, F, s, beta, tau)) < kTolerance<Scalar> * scale);
    }
  });
}

TEST_CASE("the dual objective stays finite where a sigmoid is 0 or 1 to the last bit") {
  const RandomProblem random({7, 3, 4, 3, 2});
  const Point at = point_of(random.problem, 3);
  for (const double size : {1e3, 1e6}) {
    const Vector s = test::random_sample_weights(7);
    CHECK(std::isfinite(Sweep<float>(random.problem, 0.7).dual(size * at.A, size * at.B, s, 1)));
    CHECK(std::isfinite(Sweep<double>(random.problem, 0.7).dual(size * at.A, size * at.B, s, 1)));
  }
}

TEST_CASE_TEMPLATE("the initial gradient is G at Q = s 1^T", Scalar, float, double) {
  everywhere([](const Problem& problem, const Point&, const Vector& s, double beta) {
    const Matrix Q = s * Eigen::RowVectorXd::Ones(problem.classes());
    CHECK(difference(Sweep<Scalar>(problem, beta).initial_gradient(s),
                     test::plain_negative_gradient(problem, Q)) < kTolerance<Scalar>);
  });
}

TEST_CASE_TEMPLATE("the predicted class is the one with the highest score of plain loops", Scalar,
                   float, double) {
  everywhere([](const Problem& problem, const Point& at, const Vector&, double) {
    const Matrix F = test::plain_scores(problem, at.W());
    const Labels predicted = Sweep<Scalar>::predict(problem.X, problem.Phi, at.A, at.B);
    Index wrong = 0;
    for (Index i = 0; i < F.rows(); ++i) {
      const double highest = F.row(i).maxCoeff();
      wrong += F(i, predicted[static_cast<std::size_t>(i)]) < highest - 1e-5 * std::fabs(highest);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE_TEMPLATE("without weak models every score is zero", Scalar, float, double) {
  const RandomProblem random({33, 6, 5, 17, 15});
  const Problem& problem = random.problem;
  const Matrix A(6, 0), B(5, 0);
  const Matrix F = Matrix::Zero(33, 32);
  const Vector s = test::random_sample_weights(33);
  const auto pass = Sweep<Scalar>(problem, 0.4).negative_gradient(A, B, s);
  CHECK(difference(pass.losses, test::plain_losses(problem, F, 0.4)) < kTolerance<Scalar>);
  CHECK(difference(pass.G, test::plain_negative_gradient(
                               problem, test::plain_dual_weights(problem, F, s, 0.4))) <
        kTolerance<Scalar>);
}

TEST_CASE_TEMPLATE("samples of weight zero do not change any sum, whatever their features", Scalar,
                   float, double) {
  RandomProblem random({40, 4, 3, 4, 3});
  const Point at = point_of(random.problem, 3);
  Vector s = Vector::Ones(40);
  s.tail(10).setZero();
  const Sweep<Scalar> sweep(random.problem, 0.4);
  const auto before = sweep.negative_gradient(at.A, at.B, s);
  const double dual_before = sweep.dual(at.A, at.B, s, 0.5);
  for (Index i = 30; i < 40; ++i)
    random.file.row(random.problem.X.rows[static_cast<std::size_t>(i)]).array() += 3;
  const auto after = sweep.negative_gradient(at.A, at.B, s);
  CHECK(after.loss == before.loss);
  CHECK(after.G == before.G);
  CHECK(sweep.dual(at.A, at.B, s, 0.5) == dual_before);
  CHECK(after.losses.tail(10) != before.losses.tail(10));
}

TEST_CASE_TEMPLATE(
    "features of every storage type and order give the same sums as the same numbers in float",
    Scalar, float, double) {
  RandomProblem random({600, 5, 3, 4, 2});
  random.file = random.file.cast<Eigen::half>().cast<float>();
  const Point at = point_of(random.problem, 2);
  const Vector s = test::random_sample_weights(600);
  const auto expected = Sweep<Scalar>(random.problem, 0.4).negative_gradient(at.A, at.B, s);
  const auto check = [&](const void* data, Storage storage, bool column_major) {
    Problem other = random.problem;
    other.X.features.data = data;
    other.X.features.storage = storage;
    other.X.features.column_major = column_major;
    const auto pass = Sweep<Scalar>(other, 0.4).negative_gradient(at.A, at.B, s);
    CHECK(pass.loss == expected.loss);
    CHECK(pass.G == expected.G);
    CHECK(pass.losses == expected.losses);
  };
  const RowMatrix<Eigen::half> half = random.file.cast<Eigen::half>();
  const Matrix wide = random.file.cast<double>();
  const MatrixF columns = random.file.transpose();
  check(half.data(), Storage::kFloat16, false);
  check(wide.data(), Storage::kFloat64, false);
  check(columns.data(), Storage::kFloat32, true);
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <class M>
bool same_bits(const M& a, const M& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(a(0))) == 0;
}

/// All that a sweep can say about a point, with a number of threads.
template <class Scalar>
struct Everything {
  Everything(Problem problem, const Point& at, const Vector& s, int threads) {
    problem.X.execution.threads = threads;
    const Sweep<Scalar> sweep(problem, 0.4);
    factor_gradient = sweep.factor_gradient(at.A, at.B, s);
    negative_gradient = sweep.negative_gradient(at.A, at.B, s);
    losses = sweep.losses(at.A, at.B);
    dual = sweep.dual(at.A, at.B, s, 0.5);
    first = sweep.initial_gradient(s);
    P = sweep.project(at.A);
    weights = sweep.weight_gradient(P, problem.Phi * at.B, Vector::Ones(at.A.cols()), s);
    predicted = Sweep<Scalar>::predict(problem.X, problem.Phi, at.A, at.B);
  }

  typename Sweep<Scalar>::FactorGradient factor_gradient;
  typename Sweep<Scalar>::NegativeGradient negative_gradient;
  Vector losses;
  double dual;
  Matrix first;
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> P;
  typename Sweep<Scalar>::WeightGradient weights;
  Labels predicted;
};

TEST_CASE_TEMPLATE("every sum is bitwise equal for 1, 2, 3 and 4 threads", Scalar, float, double) {
  for (const Shape& shape : {Shape{513, 19, 7, 17, 3}, Shape{2600, 33, 9, 37, 11}}) {
    const RandomProblem random(shape);
    const Point at = point_of(random.problem, 5);
    const Vector s = test::random_sample_weights(shape.N);
    const Everything<Scalar> one(random.problem, at, s, 1);
    for (const int threads : {1, 2, 3, 4}) {
      CAPTURE(threads);
      const Everything<Scalar> more(random.problem, at, s, threads);
      CHECK(same_bits(more.factor_gradient.loss, one.factor_gradient.loss));
      CHECK(same_bits(more.factor_gradient.A, one.factor_gradient.A));
      CHECK(same_bits(more.factor_gradient.B, one.factor_gradient.B));
      CHECK(same_bits(more.negative_gradient.loss, one.negative_gradient.loss));
      CHECK(same_bits(more.negative_gradient.losses, one.negative_gradient.losses));
      CHECK(same_bits(more.negative_gradient.G, one.negative_gradient.G));
      CHECK(same_bits(more.losses, one.losses));
      CHECK(same_bits(more.dual, one.dual));
      CHECK(same_bits(more.first, one.first));
      CHECK(same_bits(more.P, one.P));
      CHECK(same_bits(more.weights.loss, one.weights.loss));
      CHECK(same_bits(more.weights.w, one.weights.w));
      CHECK(more.predicted == one.predicted);
    }
  }
}

}  // namespace
}  // namespace bzscr
