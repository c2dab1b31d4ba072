#include "core/sweep.h"

#include "core/counters.h"
#include "core/feature_blocks.h"
#include "core/products.h"
#include "core/reducer.h"
#include "core/score_form.h"

#include <cmath>

namespace bzscr {
namespace {

/// A copy padded with zero columns to whole vectors, the width for which products are fastest.
template <class Scalar, class Derived>
RowMatrix<Scalar> padded(const Eigen::MatrixBase<Derived>& M) {
  RowMatrix<Scalar> out = RowMatrix<Scalar>::Zero(M.rows(), whole_vectors<Scalar>(M.cols()));
  out.leftCols(M.cols()) = M.template cast<Scalar>();
  return out;
}

template <class Scalar>
RowMatrix<Scalar> beside(const RowMatrix<Scalar>& left, const RowMatrix<Scalar>& right) {
  RowMatrix<Scalar> out(left.rows(), left.cols() + right.cols());
  out << left, right;
  return out;
}

/// The factors in the layout of a pass. Those of the base are further columns, so that a score is
/// one product; k and k0 are padded.
template <class Scalar>
struct ScoringFactors {
  RowMatrix<Scalar> A;    // m x (k + k0)
  RowMatrix<Scalar> PB;   // columns x k: Phi B, by LossTables::lay_out()
  RowMatrix<Scalar> BtP;  // (k + k0) x columns: its transpose, and that of Phi B0 below it
  Eigen::Matrix<Scalar, 1, Eigen::Dynamic> shift;  // of centred samples, centre^T A; else empty
  Index k;                                         // of both, without padding

  ScoringFactors(const Problem& problem, const LossTables<Scalar>& tables, const Matrix& a,
                 const Matrix& b)
      : A(padded<Scalar>(a)),
        PB(padded<Scalar>(tables.lay_out(problem.Phi * b))),
        BtP(PB.transpose()),
        k(a.cols() + problem.base.A.cols()) {
    if (problem.base.A.cols() > 0) {
      A = beside<Scalar>(A, padded<Scalar>(problem.base.A));
      BtP = beside<Scalar>(PB, padded<Scalar>(tables.lay_out(problem.Phi * problem.base.B)))
                .transpose();
    }
    if (problem.X.centre.size() > 0 && A.cols() > 0)
      shift = (problem.X.centre.transpose() * A.template cast<double>()).template cast<Scalar>();
    communicator_of(problem.X.execution).expect_agreement({a, b, problem.base.A, problem.base.B});
  }
};

/// The losses of a block from its scores F. All passes use it.
template <class Scalar>
struct BlockLosses {
  const Problem& problem;
  const LossTables<Scalar>& tables;
  RowMatrix<Scalar> F;

  BlockLosses(const Problem& p, const LossTables<Scalar>& t) : problem(p), tables(t) {}

  // Computes the losses of the block's samples, and optionally replaces F by the gradient.
  template <class Use>
  void each_loss(Index first, Index count, Use use) {
    const Timer timer(problem.X.execution.counters, &Counters::loss_seconds);
    for (Index i = 0; i < count; ++i) {
      const Index y = problem.y[static_cast<std::size_t>(first + i)];
      Scalar* row = F.row(i).data();
      use(i, y, row, sample_loss(tables, y, row));
    }
  }

  double gradient_in_place(Index first, Index count, const SampleWeights& weights,
                           Vector* losses = nullptr) {
    double sum = 0;
    each_loss(first, count, [&](Index i, Index y, Scalar* row, const SampleLoss& loss) {
      const double l = composite(tables, loss);
      sum += weights.value(first + i, l);
      if (losses) (*losses)[first + i] = l;
      loss_gradient(tables, y, loss, weights.weight(first + i, l), row);
    });
    return sum;
  }
};

/// The same with scores computed from factors.
template <class Scalar>
struct Scorer : BlockLosses<Scalar> {
  const ScoringFactors<Scalar>& by;
  FeatureBlocks<Scalar> blocks;
  RowMatrix<Scalar> XA;

  Scorer(const Problem& p, const LossTables<Scalar>& t, const ScoringFactors<Scalar>& factors)
      : BlockLosses<Scalar>(p, t), by(factors), blocks(p.X) {}

  auto scale(Index first, Index count) const {
    return this->problem.X.scale.segment(first, count).template cast<Scalar>();
  }

  typename FeatureBlocks<Scalar>::Block score(Index first, Index count) {
    const auto X = blocks.read(first, count);
    const Timer timer(this->problem.X.execution.counters, &Counters::product_seconds,
                      2 * count * by.k * (X.cols() + this->problem.classes()));
    times<Scalar>(X, by.A, XA);
    XA.array().colwise() *= scale(first, count).array();
    if (by.shift.size() > 0) XA.rowwise() -= by.shift;
    times<Scalar>(XA, by.BtP, this->F);
    return X;
  }
};

double entropy(double p) {
  return (p > 0 ? p * std::log(p) : 0) + (p < 1 ? (1 - p) * std::log1p(-p) : 0);
}

}  // namespace

template <class Scalar>
typename Sweep<Scalar>::FactorGradient Sweep<Scalar>::factor_gradient(
    const Matrix& A, const Matrix& B, const SampleWeights& weights) const {
  const ScoringFactors<Scalar> by(problem_, tables_, A, B);
  struct Worker {
    Scorer<Scalar> scorer;
    const SampleWeights& weights;
    double loss = 0;
    RowMatrix<Scalar> RPB, gradient_A, RtXA;
    Vector sums{};  // of the columns of R PB
    void visit(Index first, Index count) {
      const auto X = scorer.score(first, count);
      loss = scorer.gradient_in_place(first, count, weights);
      const Timer timer(scorer.problem.X.execution.counters, &Counters::product_seconds,
                        2 * count * scorer.by.k * (X.cols() + 2 * scorer.problem.classes()));
      times<Scalar>(scorer.F, scorer.by.PB, RPB);
      sums = RPB.template cast<double>().colwise().sum();
      RPB.array().colwise() *= scorer.scale(first, count).array();
      transposed_times<Scalar>(X, RPB, gradient_A);
      transposed_times<Scalar>(scorer.F, scorer.XA, RtXA);
    }
  };
  FactorGradient sum{0, Matrix::Zero(A.rows(), by.PB.cols()), Matrix()};
  Vector sums = Vector::Zero(by.PB.cols());
  Matrix RtXA = Matrix::Zero(tables_.columns, by.A.cols());
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] {
        return Worker{{problem_, tables_, by}, weights, 0, {}, {}, {}, {}};
      },
      [&](const Worker& block) {
        sum.loss += block.loss;
        sum.A += block.gradient_A.template cast<double>();
        sums += block.sums;
        RtXA += block.RtXA.template cast<double>();
      });
  if (problem_.X.centre.size() > 0) sum.A -= problem_.X.centre * sums.transpose();
  sum.A.conservativeResize(A.rows(), A.cols());
  sum.B = problem_.Phi.transpose() * tables_.pick(RtXA.leftCols(A.cols()));
  allreduce(problem_.X.execution, {sum.loss, sum.A, sum.B});
  return sum;
}

template <class Scalar>
typename Sweep<Scalar>::NegativeGradient Sweep<Scalar>::negative_gradient(const Matrix& A,
                                                                          const Matrix& B,
                                                                          const Vector& s) const {
  const ScoringFactors<Scalar> by(problem_, tables_, A, B);
  const RowMatrix<Scalar> Phi = padded<Scalar>(tables_.lay_out(problem_.Phi));
  NegativeGradient sum{0, Vector(problem_.samples()),
                       Matrix::Zero(problem_.X.dimension(), Phi.cols())};
  Vector sums = Vector::Zero(Phi.cols());
  struct Worker {
    Scorer<Scalar> scorer;
    const RowMatrix<Scalar>& Phi;
    const Vector& s;
    Vector& losses;
    double loss = 0;
    RowMatrix<Scalar> RPhi, gradient_W;
    Vector sums{};  // of the columns of R Phi
    void visit(Index first, Index count) {
      const auto X = scorer.score(first, count);
      loss = scorer.gradient_in_place(first, count, s, &losses);
      const Timer timer(
          scorer.problem.X.execution.counters, &Counters::product_seconds,
          2 * count * scorer.problem.Phi.cols() * (X.cols() + scorer.problem.classes()));
      times<Scalar>(scorer.F, Phi, RPhi);
      sums = RPhi.template cast<double>().colwise().sum();
      RPhi.array().colwise() *= scorer.scale(first, count).array();
      transposed_times<Scalar>(X, RPhi, gradient_W);
    }
  };
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] {
        return Worker{{problem_, tables_, by}, Phi, s, sum.losses, 0, {}, {}, {}};
      },
      [&](const Worker& block) {
        sum.loss += block.loss;
        sum.G -= block.gradient_W.template cast<double>();
        sums += block.sums;
      });
  if (problem_.X.centre.size() > 0) sum.G += problem_.X.centre * sums.transpose();
  sum.G.conservativeResize(sum.G.rows(), problem_.Phi.cols());
  allreduce(problem_.X.execution, {sum.loss, sum.G});
  return sum;
}

template <class Scalar>
Matrix Sweep<Scalar>::curvature(const Matrix& A, const Matrix& B, const Vector& s) const {
  const ScoringFactors<Scalar> by(problem_, tables_, A, B);
  // S_i = sum_r sigmoid'(rho_ir) (e_r - e_y)(e_r - e_y)^T + beta sigmoid'(cov_i) c_y c_y^T: summed
  // by class.
  struct Worker {
    Scorer<Scalar> scorer;
    const Vector& s;
    Matrix margins;      // seen x seen: sum of s_i sigmoid'(rho_ir) over the samples of a class
    Vector covariances;  // seen: the same of s_i sigmoid'(cov_i)
    void visit(Index first, Index count) {
      scorer.score(first, count);
      const Index seen = scorer.tables.seen;
      margins.setZero(seen, seen);
      covariances.setZero(seen);
      scorer.each_loss(first, count, [&](Index i, Index y, Scalar* row, const SampleLoss& loss) {
        const auto sigma = Eigen::Map<const Eigen::Array<Scalar, 1, Eigen::Dynamic>>(row, seen)
                               .template cast<double>();
        margins.row(y).array() += s[first + i] * sigma * (1 - sigma);
        covariances[y] += s[first + i] * loss.sigmoid_cov * (1 - loss.sigmoid_cov);
      });
    }
  };
  Matrix margins = Matrix::Zero(tables_.seen, tables_.seen);
  Vector covariances = Vector::Zero(tables_.seen);
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] {
        return Worker{{problem_, tables_, by}, s, {}, {}};
      },
      [&](const Worker& block) {
        margins += block.margins;
        covariances += block.covariances;
      });
  allreduce(problem_.X.execution, {margins, covariances});
  Matrix S = Matrix::Zero(problem_.classes(), problem_.classes());
  S.topLeftCorner(tables_.seen, tables_.seen) = -margins - margins.transpose();
  S.diagonal().head(tables_.seen) += margins.rowwise().sum() + margins.colwise().sum().transpose();
  const Matrix centred = tables_.centred.template cast<double>();
  S.bottomRightCorner(problem_.targets(), problem_.targets()) =
      tables_.beta * centred.transpose() * covariances.asDiagonal() * centred;
  return S / static_cast<double>(problem_.samples());
}

template <class Scalar>
Vector Sweep<Scalar>::losses(const Matrix& A, const Matrix& B) const {
  Vector all = own_losses(A, B);
  allgather_samples(problem_.X.execution, all, problem_.samples());
  return all;
}

template <class Scalar>
double Sweep<Scalar>::loss(const Matrix& A, const Matrix& B, const Vector& s) const {
  const Vector losses = own_losses(A, B);
  const LocalRange own = local_samples(problem_.X.execution, problem_.samples());
  double sum = s.segment(own.first, own.last - own.first)
                   .dot(losses.segment(own.first, own.last - own.first));
  allreduce(problem_.X.execution, {sum});
  return sum;
}

template <class Scalar>
Vector Sweep<Scalar>::own_losses(const Matrix& A, const Matrix& B) const {
  const ScoringFactors<Scalar> by(problem_, tables_, A, B);
  Vector losses(problem_.samples());
  struct Worker {
    Scorer<Scalar> scorer;
    Vector& losses;
    void visit(Index first, Index count) {
      scorer.score(first, count);
      scorer.each_loss(first, count, [&](Index i, Index, Scalar*, const SampleLoss& loss) {
        losses[first + i] = composite(scorer.tables, loss);
      });
    }
  };
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] {
        return Worker{{problem_, tables_, by}, losses};
      },
      [](const Worker&) {});
  return losses;
}

template <class Scalar>
double Sweep<Scalar>::dual(const Matrix& A, const Matrix& B, const Vector& s, double tau) const {
  const ScoringFactors<Scalar> by(problem_, tables_, A, B);
  struct Worker {
    Scorer<Scalar> scorer;
    const Vector& s;
    double tau, value = 0;
    void visit(Index first, Index count) {
      scorer.score(first, count);
      value = 0;
      const LossTables<Scalar>& tables = scorer.tables;
      scorer.each_loss(first, count,
                       [&](Index i, Index y, Scalar* sigmoids, const SampleLoss& loss) {
                         // q ln q + (s - q) ln(s - q) - s ln s is s times the negative entropy of
                         // q / s = tau sigmoid.
                         double one = -tables.beta * entropy(tau * loss.sigmoid_cov);
                         for (Index r = 0; r < tables.seen; ++r) {
                           const double q = tau * static_cast<double>(sigmoids[r]);
                           one += q * scorer.problem.Delta(y, r) - entropy(q);
                         }
                         value += s[first + i] * one;
                       });
    }
  };
  double sum = 0;
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] {
        return Worker{{problem_, tables_, by}, s, tau};
      },
      [&](const Worker& block) { sum += block.value; });
  allreduce(problem_.X.execution, {sum});
  return sum;
}

template <class Scalar>
Matrix Sweep<Scalar>::class_sums(const Vector& s) const {
  struct Worker {
    const Problem& problem;
    const Vector& s;
    FeatureBlocks<Scalar> blocks;
    Matrix class_sums;
    void visit(Index first, Index count) {
      const auto X = blocks.read(first, count);
      class_sums.setZero(problem.seen, problem.X.dimension());
      for (Index i = first; i < first + count; ++i)
        class_sums.row(problem.y[static_cast<std::size_t>(i)]) +=
            s[i] * problem.X.scale[i] * X.row(i - first).template cast<double>();
    }
  };
  Matrix sums = Matrix::Zero(problem_.seen, problem_.X.dimension());
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] {
        return Worker{problem_, s, FeatureBlocks<Scalar>(problem_.X), {}};
      },
      [&](const Worker& block) { sums += block.class_sums; });
  allreduce(problem_.X.execution, {sums});
  if (problem_.X.centre.size() > 0) {
    Vector weights = Vector::Zero(problem_.seen);
    for (Index i = 0; i < problem_.samples(); ++i)
      weights[problem_.y[static_cast<std::size_t>(i)]] += s[i];
    sums -= weights * problem_.X.centre.transpose();
  }
  return sums;
}

template <class Scalar>
Matrix Sweep<Scalar>::initial_gradient(const Vector& s) const {
  // Q = s 1^T: each row of diag(Q 1) Phi_y - Q Phi is s_i (C phi_y - sum_r phi_r). X^T of rows that
  // depend on the class alone: sum the samples of each class first.
  const Matrix rows = (static_cast<double>(problem_.classes()) * problem_.Phi).rowwise() -
                      problem_.Phi.colwise().sum();
  return class_sums(s).transpose() * rows.topRows(problem_.seen);
}

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> Sweep<Scalar>::project(
    const Matrix& u) const {
  const RowMatrix<Scalar> a = u.cast<Scalar>();
  Eigen::Matrix<Scalar, 1, Eigen::Dynamic> shift;
  if (problem_.X.centre.size() > 0)
    shift = (problem_.X.centre.transpose() * u).template cast<Scalar>();
  using Columns = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  struct Worker {
    const Problem& problem;
    const RowMatrix<Scalar>& a;
    const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>& shift;
    FeatureBlocks<Scalar> blocks;
    Columns& out;
    RowMatrix<Scalar> XA;
    void visit(Index first, Index count) {
      const auto X = blocks.read(first, count);
      const Timer timer(problem.X.execution.counters, &Counters::product_seconds,
                        2 * count * X.cols() * a.cols());
      XA.noalias() = X * a;
      XA.array().colwise() *= problem.X.scale.segment(first, count).template cast<Scalar>().array();
      if (shift.size() > 0) XA.rowwise() -= shift;
      out.middleRows(first, count) = XA;
    }
  };
  Columns out(problem_.samples(), u.cols());
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] { return Worker{problem_, a, shift, FeatureBlocks<Scalar>(problem_.X), out, {}}; },
      [](const Worker&) {});
  return out;
}

template <class Scalar>
typename Sweep<Scalar>::WeightGradient Sweep<Scalar>::weight_gradient(
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>& P,
    const Matrix& Z, const Vector& w, const Vector& s) const {
  const RowMatrix<Scalar> z = tables_.lay_out(Z), zw = tables_.lay_out(Z * w.asDiagonal());
  struct Worker {
    BlockLosses<Scalar> losses;
    const RowMatrix<Scalar>&z, &zw;
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>& P;
    const Vector& s;
    double loss = 0;
    Vector gradient;
    RowMatrix<Scalar> RZ;
    void visit(Index first, Index count) {
      const auto p = P.middleRows(first, count);
      const Index flops = 2 * count * p.cols() * losses.problem.classes();
      {
        const Timer timer(losses.problem.X.execution.counters, &Counters::product_seconds, flops);
        losses.F.noalias() = p * zw.transpose();
      }
      loss = losses.gradient_in_place(first, count, s);
      const Timer timer(losses.problem.X.execution.counters, &Counters::product_seconds, flops);
      RZ.noalias() = losses.F * z;
      gradient = RZ.cwiseProduct(p).colwise().sum().transpose().template cast<double>();
    }
  };
  WeightGradient sum{0, Vector::Zero(w.size())};
  reduce_blocks(
      problem_.X.execution, problem_.samples(),
      [&] {
        return Worker{{problem_, tables_}, z, zw, P, s, 0, {}, {}};
      },
      [&](const Worker& block) {
        sum.loss += block.loss;
        sum.w += block.gradient;
      });
  allreduce(problem_.X.execution, {sum.loss, sum.w});
  return sum;
}

template <class Scalar>
Labels Sweep<Scalar>::predict(const Samples& X, const Matrix& Phi, const Matrix& A, const Matrix& B,
                              ScoreForm form) {
  const Matrix rows = class_rows({A, B}, Phi, form);
  const RowMatrix<Scalar> a = A.cast<Scalar>(), PB = rows.cast<Scalar>();
  Eigen::Matrix<Scalar, 1, Eigen::Dynamic> shift;
  if (X.centre.size() > 0)
    shift = (X.centre.transpose() * A * rows.transpose()).template cast<Scalar>();
  Labels best(static_cast<std::size_t>(X.size()));
  struct Worker {
    const Samples& samples;
    FeatureBlocks<Scalar> blocks;
    const RowMatrix<Scalar>&a, &PB;
    const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>& shift;
    Labels& best;
    CostCounters* counters;
    RowMatrix<Scalar> XA, F;
    void visit(Index first, Index count) {
      const auto X = blocks.read(first, count);
      {
        const Timer timer(counters, &Counters::product_seconds,
                          2 * count * a.cols() * (X.cols() + PB.rows()));
        XA.noalias() = X * a;
        F.noalias() = XA * PB.transpose();
      }
      if (shift.size() > 0) {  // else a positive scale does not change the best class
        F.array().colwise() *= samples.scale.segment(first, count).template cast<Scalar>().array();
        F.rowwise() -= shift;
      }
      for (Index i = 0; i < count; ++i) {
        Index r;
        F.row(i).maxCoeff(&r);
        best[static_cast<std::size_t>(first + i)] = static_cast<std::int32_t>(r);
      }
    }
  };
  reduce_blocks(
      X.execution, X.size(),
      [&] {
        return Worker{X,    FeatureBlocks<Scalar>(X), a,  PB, shift,
                      best, X.execution.counters,     {}, {}};
      },
      [](const Worker&) {});
  allgather_samples(X.execution, best, X.size());
  return best;
}

template class Sweep<float>;
template class Sweep<double>;

}  // namespace bzscr
