#include "tuning/teaching.h"

#include "baselines/bilinear.h"
#include "core/lapack.h"
#include "core/reducer.h"
#include "core/score_form.h"
#include "tuning/folds.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace bzscr {
namespace {

constexpr double kBlends[] = {0.25, 0.5, 1, 2, 4};
constexpr Index kMostTaught = 10;
constexpr std::size_t kMostTested = 2000;  // of either kind of classes
constexpr double kMostFallOfSeen = 0.03;

double exponent(ScoreForm form) {
  return form == ScoreForm::kPlain ? 0 : form == ScoreForm::kHalf ? 0.5 : 1;
}

/// The weight of n samples against the embedding.
double weight_of(Index n, double blend) {
  return static_cast<double>(n) / (static_cast<double>(n) + blend);
}

/// U^T x of all samples, N x k.
Matrix projections(const Samples& X, const Matrix& U) {
  Matrix T = scores(X, U).cast<double>();
  for (Index j = 0; j < T.cols(); ++j) {
    Vector column = T.col(j);
    allgather_samples(X.execution, column, X.size());
    T.col(j) = column;
  }
  return T;
}

struct Roles {
  std::vector<std::vector<Index>> taught;  ///< of each target class, in the order of teaching
  std::vector<Index> tested;
};

void thin_out(std::vector<Index>& samples) {
  const std::size_t all = samples.size(), kept = std::min(all, kMostTested);
  std::sort(samples.begin(), samples.end());
  for (std::size_t i = 0; i < kept; ++i) samples[i] = samples[i * all / kept];
  samples.resize(kept);
}

Roles draw_roles(const CalibrationFold& fold, std::uint64_t seed) {
  const Problem& problem = fold.split.problem;
  Roles roles;
  roles.taught.resize(static_cast<std::size_t>(problem.targets()));
  for (std::size_t i = 0; i < fold.y.size(); ++i)
    if (fold.y[i] >= problem.seen)
      roles.taught[static_cast<std::size_t>(fold.y[i] - problem.seen)].push_back(
          static_cast<Index>(i));
  for (std::vector<Index>& samples : roles.taught) {
    shuffle(samples, seed);
    const auto n = std::min<std::size_t>(kMostTaught, samples.size() / 2);
    roles.tested.insert(roles.tested.end(), samples.begin() + static_cast<std::ptrdiff_t>(n),
                        samples.end());
    samples.resize(n);
  }
  std::vector<Index> of_seen;
  for (std::size_t i = 0; i < fold.y.size(); ++i)
    if (fold.y[i] < problem.seen) of_seen.push_back(static_cast<Index>(i));
  thin_out(roles.tested);
  thin_out(of_seen);
  roles.tested.insert(roles.tested.end(), of_seen.begin(), of_seen.end());
  return roles;
}

/// The row of a class after n samples with the sum `sum` (FORMAT.md).
/// \param q  its row factors
Vector taught_row(const Vector& q, ScoreForm form, const Vector& sum, Index n, double blend) {
  const double a = weight_of(n, blend), length = q.norm();
  const Vector b = (length > 0 ? Vector((1 - a) / length * q) : Vector(Vector::Zero(q.size()))) +
                   a * sum.normalized();
  return std::pow(length, 1 - exponent(form)) * b.normalized();
}

/// S and U of several curves at one penalty, averaged.
SeenUnseen mean_accuracy(const std::vector<SeenUnseenCurve>& curves, double penalty) {
  SeenUnseen mean;
  for (const SeenUnseenCurve& curve : curves) {
    const SeenUnseen at = accuracy_at(curve, penalty);
    mean.seen += at.seen / static_cast<double>(curves.size());
    mean.unseen += at.unseen / static_cast<double>(curves.size());
  }
  return mean;
}

/// The curves of one trial over the folds that have samples of both kinds.
std::vector<SeenUnseenCurve> curves_of(
    const std::vector<std::vector<std::vector<JointOutcome>>>& trials, std::size_t trial) {
  std::vector<SeenUnseenCurve> curves;
  for (const auto& fold : trials)
    if (has_both_kinds(fold[trial])) curves.push_back(seen_unseen_curve(fold[trial]));
  return curves;
}

}  // namespace

Matrix teaching_directions(const FeatureSpectrum& spectrum, const Matrix& U, Index total) {
  const Index m = U.rows(), k = U.cols();
  const Index wanted = std::min(total, m) - k;
  if (wanted <= 0 || spectrum.vectors.size() == 0) return Matrix(m, 0);
  // The variance outside the span of U: P E diag(values) E^T P, P = I - U U^T.
  Matrix rest = spectrum.vectors - U * (U.transpose() * spectrum.vectors);
  rest = rest * spectrum.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  const Eigenpairs pairs = semidefinite_eigenpairs(rest * rest.transpose());
  const double least = 1e-9 * pairs.values[0];
  Matrix directions(m, wanted);
  Index kept = 0;
  for (; kept < wanted && pairs.values[kept] > least; ++kept) {
    Vector direction = pairs.vectors.col(kept);
    direction -= U * (U.transpose() * direction);
    directions.col(kept) = direction.normalized();
  }
  return directions.leftCols(kept);
}

std::vector<std::vector<JointOutcome>> taught_outcomes(const CalibrationFold& fold,
                                                       const Ensemble& ensemble, ScoreForm form,
                                                       const Matrix& directions,
                                                       std::uint64_t seed) {
  const Problem& problem = fold.split.problem;
  const Index k = ensemble.U.cols() + directions.cols(), C = problem.classes();
  Matrix U(ensemble.U.rows(), k);
  U << ensemble.U, directions;
  const Matrix T = projections(fold.X, U);
  const Factors at{ensemble.U, ensemble.V * ensemble.w.asDiagonal()};
  Matrix Q = Matrix::Zero(C, k), rows = Q;
  Q.leftCols(ensemble.U.cols()) = class_rows(at, problem.Phi, ScoreForm::kPlain);
  rows.leftCols(ensemble.U.cols()) = class_rows(at, problem.Phi, form);

  const Roles roles = draw_roles(fold, seed);
  const Matrix tested = T(roles.tested, Eigen::all);
  std::vector<bool> seen(static_cast<std::size_t>(C));
  std::fill_n(seen.begin(), problem.seen, true);
  Matrix F = tested * rows.transpose();
  std::vector<std::vector<JointOutcome>> trials;
  const auto record = [&] {
    std::vector<JointOutcome>& outcomes = trials.emplace_back();
    for (Index i = 0; i < F.rows(); ++i) {
      const auto sample = static_cast<std::size_t>(roles.tested[static_cast<std::size_t>(i)]);
      outcomes.push_back(joint_outcome(fold.y[sample], F.row(i).transpose(), seen));
    }
  };
  record();
  for (const Index shots : kShots)
    for (const double blend : kBlends) {
      for (Index r = 0; r < problem.targets(); ++r) {
        const auto& samples = roles.taught[static_cast<std::size_t>(r)];
        const auto n = std::min(shots, static_cast<Index>(samples.size()));
        if (n == 0) continue;
        Vector sum = Vector::Zero(k);
        for (Index i = 0; i < n; ++i) sum += T.row(samples[static_cast<std::size_t>(i)]);
        rows.row(problem.seen + r) =
            taught_row(Q.row(problem.seen + r).transpose(), form, sum, n, blend).transpose();
      }
      F.rightCols(problem.targets()) = tested * rows.bottomRows(problem.targets()).transpose();
      record();
    }
  return trials;
}

Teaching choose_teaching(const std::vector<std::vector<std::vector<JointOutcome>>>& trials,
                         double penalty) {
  Teaching best;
  const std::vector<SeenUnseenCurve> untaught = curves_of(trials, 0);
  if (untaught.empty()) return best;
  const SeenUnseen before = mean_accuracy(untaught, penalty);
  const std::size_t blends = std::size(kBlends), shots = std::size(kShots);
  double highest = -1;
  for (std::size_t b = 0; b < blends; ++b) {
    // Least squares over the numbers of samples: a_n offset = penalty - the best penalty for them.
    double products = 0, squares = 0;
    std::vector<std::vector<SeenUnseenCurve>> curves;
    for (std::size_t n = 0; n < shots; ++n) {
      curves.push_back(curves_of(trials, 1 + n * blends + b));
      std::vector<double> candidates;
      for (const SeenUnseenCurve& curve : curves.back())
        for (const SeenUnseenStep& step : curve) candidates.push_back(step.penalty);
      double best_penalty = penalty, best_harmonic = -1;
      for (const double each : candidates) {
        if (!std::isfinite(each)) continue;
        const SeenUnseen at = mean_accuracy(curves.back(), each);
        if (at.seen >= before.seen - kMostFallOfSeen && at.harmonic() > best_harmonic) {
          best_harmonic = at.harmonic();
          best_penalty = each;
        }
      }
      const double a = weight_of(kShots[n], kBlends[b]);
      products += a * (penalty - best_penalty);
      squares += a * a;
    }
    Teaching one{kBlends[b], std::max(0.0, products / squares), {before.unseen}};
    double mean = 0;
    for (std::size_t n = 0; n < shots; ++n) {
      const double a = weight_of(kShots[n], kBlends[b]);
      const SeenUnseen at = mean_accuracy(curves[n], penalty - a * one.offset);
      one.accuracy.push_back(at.unseen);
      mean += at.harmonic();
    }
    if (mean > highest) {
      highest = mean;
      best = one;
    }
  }
  return best;
}

std::vector<TaughtAccuracy> taught_accuracy(const std::vector<std::vector<JointOutcome>>& trials,
                                            const Teaching& teaching, double penalty) {
  const std::size_t blends = std::size(kBlends);
  const auto b = static_cast<std::size_t>(
      std::find(std::begin(kBlends), std::end(kBlends), teaching.blend) - std::begin(kBlends));
  std::vector<TaughtAccuracy> measured;
  for (std::size_t n = 0; n <= std::size(kShots); ++n) {
    const auto shots = n == 0 ? 0 : kShots[n - 1];
    const std::vector<JointOutcome>& outcomes = trials[n == 0 ? 0 : 1 + (n - 1) * blends + b];
    std::map<std::int32_t, ClassCount> unseen;
    for (const JointOutcome& each : outcomes)
      if (!each.seen) {
        ++unseen[each.truth].samples;
        unseen[each.truth].correct += each.leads_kind;
      }
    std::vector<ClassCount> counts;
    for (const auto& one : unseen) counts.push_back(one.second);
    measured.push_back({shots, per_class_accuracy(counts),
                        accuracy_at(seen_unseen_curve(outcomes),
                                    penalty - weight_of(shots, teaching.blend) * teaching.offset)});
  }
  return measured;
}

}  // namespace bzscr
