#pragma once

#include "core/losses.h"
#include "core/sample_selection.h"
#include "types/problem.h"
#include "types/scaling.h"

namespace bzscr {

/// Relative noise of an objective whose terms are in Scalar and whose sum is double.
template <class Scalar>
constexpr double kSumNoise = sizeof(Scalar) == 4 ? 1e-7 : 1e-14;

/// The hot loop: a pass over blocks of samples computes scores, margins, losses, Q and the sums of
/// them that are needed. Only the scores of one block per thread exist at a time, never an N x C
/// matrix.
///
/// Scores are F = X (W0 + A B^T) Phi^T with the problem's base W0 and factors A (m x k), B (p x k):
/// U diag(sqrt w) and V diag(sqrt w). Derivatives are those by A, B or W; W0 is constant. Scalar is the precision of scores and products; sums over samples are double.
template <class Scalar>
class Sweep {
 public:
  /// Keeps a reference to the problem.
  Sweep(const Problem& problem, double beta) : problem_(problem), tables_(problem, beta) {}
  Sweep(Problem&&, double) = delete;  // the problem must outlive this object

  struct FactorGradient {
    double loss;  ///< sum_i s_i l_i, with g(s_i) where samples are selected
    Matrix A;     ///< m x k: d loss / d A
    Matrix B;     ///< p x k: d loss / d B
  };
  /// The loss and its gradient in both factors, for refinement. 4 N k (m + C) flops.
  FactorGradient factor_gradient(const Matrix& A, const Matrix& B,
                                 const SampleWeights& weights) const;

  struct NegativeGradient {
    double loss;    ///< sum_i s_i l_i
    Vector losses;  ///< N: l_i; with several ranks, only those of this rank's samples are set
    Matrix G;       ///< m x p: -d loss / d W, Eq. (12): the next weak model is its leading pair
  };
  NegativeGradient negative_gradient(const Matrix& A, const Matrix& B, const Vector& s) const;

  /// sum_i s_i S_i / N, C x C, with S_i = d^2 l_i / d F_i^2: the mean second derivative of the loss
  /// in the scores of a sample.
  Matrix curvature(const Matrix& A, const Matrix& B, const Vector& s) const;

  /// l_i, N.
  Vector losses(const Matrix& A, const Matrix& B) const;
  /// sum_i s_i l_i.
  double loss(const Matrix& A, const Matrix& B, const Vector& s) const;

  /// The dual objective of the problem without base, Eq. (10), at q = tau s sigmoid(rho), z = tau s
  /// sigmoid(cov), where rho and cov are those of the scores with base.
  double dual(const Matrix& A, const Matrix& B, const Vector& s, double tau) const;

  /// sum_i s_i x_i over the samples of each seen class; seen x m.
  Matrix class_sums(const Vector& s) const;

  /// G at Q = s 1^T, the start of Algorithm 1; m x p.
  Matrix initial_gradient(const Vector& s) const;

  /// X u, N x columns of u; with several ranks, only the rows of this rank's samples are set. It is
  /// P of weight_gradient().
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> project(const Matrix& u) const;

  struct WeightGradient {
    double loss;
    Vector w;  ///< K: d loss / d w
  };
  /// The loss and its gradient in the weights, Eq. (9): F = P diag(w) Z^T with P = X U (N x K) and
  /// Z = Phi V (C x K), without base.
  WeightGradient weight_gradient(
      const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>& P,
      const Matrix& Z, const Vector& w, const Vector& s) const;

  /// Predicted class of each sample of `X` among the rows of Phi, Eq. (1).
  static Labels predict(const Samples& X, const Matrix& Phi, const Matrix& A, const Matrix& B,
                        ScoreForm form = ScoreForm::kPlain);

  const Problem& problem() const { return problem_; }
  double beta() const { return tables_.beta; }

 private:
  Vector own_losses(const Matrix& A, const Matrix& B) const;  // of this rank's samples

  const Problem& problem_;
  LossTables<Scalar> tables_;
};

extern template class Sweep<float>;
extern template class Sweep<double>;

}  // namespace bzscr
