#include "tuning/calibration.h"

#include "core/feature_blocks.h"
#include "core/reducer.h"
#include "core/refinement.h"
#include "core/score_form.h"
#include "tuning/folds.h"

#include <algorithm>
#include <utility>

namespace bzscr {
namespace {

constexpr Index kOneOf = 5;  // one of so many samples of a class is held out

/// Draws the training samples of the given classes to hold out, in ascending order.
std::vector<Index> draw_samples(const Dataset& data, const Partition& partition,
                                const std::vector<Index>& classes, std::uint64_t seed) {
  std::vector<std::vector<Index>> rows(data.class_names.size());
  for (Index i = 0; i < data.features.rows; ++i)
    if (!std::binary_search(partition.held_out.begin(), partition.held_out.end(), i))
      rows[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(i)])].push_back(i);
  std::vector<Index> drawn;
  for (const Index c : classes) {
    std::vector<Index>& own = rows[static_cast<std::size_t>(c)];
    shuffle(own, seed);
    const auto n = static_cast<Index>(own.size());
    drawn.insert(drawn.end(), own.begin(),
                 own.begin() + (n < 2 ? 0 : std::max<Index>(1, n / kOneOf)));
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

std::vector<Index> merged(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

/// The labels of fold.X, as rows of the fold's Phi.
Labels labels_in(const CalibrationFold& fold, const Dataset& data) {
  const ClassSplit& classes = fold.split.classes;
  std::vector<std::int32_t> place(data.class_names.size(), -1);
  std::int32_t next = 0;
  for (const auto* part : {&classes.seen, &classes.targets})
    for (const Index c : *part) place[static_cast<std::size_t>(c)] = next++;
  Labels y;
  for (const Index row : fold.X.rows)
    y.push_back(place[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(row)])]);
  return y;
}

CalibrationFold fold_of(const Dataset& data, const Partition& partition, SplitProblem split,
                        const std::vector<Index>& held_out) {
  CalibrationFold fold;
  fold.split = std::move(split);
  const std::vector<Index> unseen = unseen_evaluation_set(data, partition, fold.split).X.rows;
  fold.X = samples_like(data, merged(held_out, unseen), fold.split);
  fold.y = labels_in(fold, data);
  return fold;
}

}  // namespace

bool has_both_kinds(const std::vector<JointOutcome>& outcomes) {
  const auto of_seen = [](const JointOutcome& each) { return each.seen; };
  return std::any_of(outcomes.begin(), outcomes.end(), of_seen) &&
         !std::all_of(outcomes.begin(), outcomes.end(), of_seen);
}

CalibrationFold joint_test(const Dataset& data, const Partition& partition, SplitProblem split) {
  return fold_of(data, partition, std::move(split), partition.held_out);
}

CalibrationFold calibration_fold(const Dataset& data, const Partition& partition,
                                 const ClassSplit& classes, std::uint64_t seed,
                                 const std::function<SplitProblem(const Partition&)>& split) {
  const std::vector<Index> drawn = draw_samples(data, partition, classes.seen, seed);
  Partition without = partition;
  without.held_out = merged(partition.held_out, drawn);
  return fold_of(data, partition, split(without), drawn);
}

std::vector<JointOutcome> held_out_outcomes(const CalibrationFold& fold, const Ensemble& ensemble,
                                            ScoreForm form) {
  const Problem& problem = fold.split.problem;
  std::vector<bool> seen(static_cast<std::size_t>(problem.classes()));
  std::fill_n(seen.begin(), problem.seen, true);
  const Factors at = factors(ensemble);
  const Matrix rows = class_rows(at, problem.Phi, form);
  const MatrixF A = at.A.cast<float>(), PB = rows.cast<float>();
  Vector shift = Vector::Zero(problem.classes());
  if (fold.X.centre.size() > 0) shift = rows * (at.A.transpose() * fold.X.centre);

  std::vector<JointOutcome> outcomes(static_cast<std::size_t>(fold.X.size()));
  struct Worker {
    const CalibrationFold& fold;
    const MatrixF &A, &PB;
    const Vector& shift;
    const std::vector<bool>& seen;
    std::vector<JointOutcome>& outcomes;
    FeatureBlocks<float> blocks;
    void visit(Index first, Index count) {
      const MatrixF F = (blocks.read(first, count) * A) * PB.transpose();
      for (Index i = 0; i < count; ++i) {
        const Vector scores = fold.X.scale[first + i] * F.row(i).transpose().cast<double>() - shift;
        const auto sample = static_cast<std::size_t>(first + i);
        outcomes[sample] = joint_outcome(fold.y[sample], scores, seen);
      }
    }
  };
  reduce_blocks(
      fold.X.execution, fold.X.size(),
      [&] { return Worker{fold, A, PB, shift, seen, outcomes, FeatureBlocks<float>(fold.X)}; },
      [](const Worker&) {});
  allgather_samples(fold.X.execution, outcomes, fold.X.size());
  return outcomes;
}

std::vector<JointOutcome> held_out_outcomes(const CalibrationFold& fold, const MatrixF& scores) {
  const Problem& problem = fold.split.problem;
  std::vector<bool> seen(static_cast<std::size_t>(problem.classes()));
  std::fill_n(seen.begin(), problem.seen, true);
  std::vector<JointOutcome> outcomes;
  for (Index i = 0; i < scores.rows(); ++i)
    outcomes.push_back(joint_outcome(fold.y[static_cast<std::size_t>(i)],
                                     scores.row(i).transpose().cast<double>(), seen));
  return outcomes;
}

ChosenPenalty choose_penalty(const std::vector<std::vector<JointOutcome>>& folds) {
  std::vector<SeenUnseenCurve> curves;
  for (const auto& outcomes : folds)
    if (has_both_kinds(outcomes)) curves.push_back(seen_unseen_curve(outcomes));
  return best_penalty(curves);
}

}  // namespace bzscr
