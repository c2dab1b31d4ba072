#include "core/metrics.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace bzscr {

double error_rate(const Labels& truth, const Labels& predicted) {
  Index wrong = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) wrong += truth[i] != predicted[i];
  return static_cast<double>(wrong) / static_cast<double>(truth.size());
}

double mean_delta(const Labels& truth, const Labels& predicted, const Matrix& Delta) {
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += Delta(truth[i], predicted[i]);
  return sum / static_cast<double>(truth.size());
}

double top_k_accuracy(const Labels& truth, const Ranking& ranking, Index k) {
  Index found = 0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    found += (ranking.row(static_cast<Index>(i)).head(k).array() == truth[i]).any();
  return static_cast<double>(found) / static_cast<double>(truth.size());
}

std::vector<ClassCount> count_by_class(const Labels& truth, const Labels& predicted, Index C) {
  std::vector<ClassCount> counts(static_cast<std::size_t>(C));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ClassCount& count = counts[static_cast<std::size_t>(truth[i])];
    ++count.samples;
    count.correct += truth[i] == predicted[i];
  }
  return counts;
}

RowMatrix<Index> confusion_matrix(const Labels& truth, const Labels& predicted, Index C) {
  RowMatrix<Index> counts = RowMatrix<Index>::Zero(C, C);
  for (std::size_t i = 0; i < truth.size(); ++i) ++counts(truth[i], predicted[i]);
  return counts;
}

double per_class_accuracy(const std::vector<ClassCount>& counts) {
  double sum = 0.0;
  Index classes = 0;
  for (const ClassCount& count : counts) {
    if (count.samples == 0) continue;
    sum += static_cast<double>(count.correct) / static_cast<double>(count.samples);
    ++classes;
  }
  return sum / static_cast<double>(classes);
}

Scores score_predictions(const Labels& truth, const Ranking& ranking, const Matrix& Delta) {
  Labels best(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) best[i] = ranking(static_cast<Index>(i), 0);
  const std::vector<ClassCount> counts = count_by_class(truth, best, Delta.rows());

  Scores scores;
  scores.samples = static_cast<Index>(truth.size());
  for (const ClassCount& count : counts) scores.classes += count.samples > 0;
  scores.error_rate = error_rate(truth, best);
  scores.mean_delta = mean_delta(truth, best, Delta);
  scores.per_class_top1 = per_class_accuracy(counts);
  scores.top5 = top_k_accuracy(truth, ranking, 5);
  return scores;
}

JointOutcome joint_outcome(std::int32_t truth, const Vector& scores,
                           const std::vector<bool>& seen) {
  Index best[2] = {-1, -1};  // unseen, seen
  for (Index r = 0; r < scores.size(); ++r) {
    Index& leader = best[seen[static_cast<std::size_t>(r)]];
    if (leader < 0 || scores[r] > scores[leader]) leader = r;
  }
  const bool kind = seen[static_cast<std::size_t>(truth)];
  return {truth, kind, best[kind] == truth, scores[best[1]] - scores[best[0]]};
}

SeenUnseenCurve seen_unseen_curve(const std::vector<JointOutcome>& outcomes) {
  std::map<std::int32_t, Index> samples[2];  // per class with samples; unseen, seen
  for (const JointOutcome& each : outcomes) ++samples[each.seen][each.truth];
  const auto weight = [&](const JointOutcome& each) {
    const auto& kind = samples[each.seen];
    return 1 / static_cast<double>(kind.at(each.truth)) / static_cast<double>(kind.size());
  };
  std::vector<JointOutcome> rising = outcomes;
  std::stable_sort(rising.begin(), rising.end(),
                   [](const auto& a, const auto& b) { return a.lead < b.lead; });

  // A step for each lead: for greater penalties, samples with this lead are classified as unseen.
  // First computes the change of each step.
  SeenUnseenCurve curve = {{-std::numeric_limits<double>::infinity(), {}}};
  for (const JointOutcome& each : rising) {
    if (curve.back().penalty != each.lead) curve.push_back({each.lead, {}});
    if (!each.leads_kind) continue;
    SeenUnseen& change = curve.back().accuracy;
    (each.seen ? change.seen : change.unseen) += weight(each);
  }
  for (std::size_t k = 1; k < curve.size(); ++k)
    curve[k].accuracy.unseen += curve[k - 1].accuracy.unseen;
  double right = 0;
  for (auto step = curve.rbegin(); step != curve.rend(); ++step)
    right += std::exchange(step->accuracy.seen, right);
  return curve;
}

SeenUnseen accuracy_at(const SeenUnseenCurve& curve, double penalty) {
  const auto past = std::lower_bound(
      curve.begin() + 1, curve.end(), penalty,
      [](const SeenUnseenStep& step, double value) { return step.penalty < value; });
  return (past - 1)->accuracy;
}

double area_under(const SeenUnseenCurve& curve) {
  double area = 0;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    const SeenUnseen &before = curve[k - 1].accuracy, &after = curve[k].accuracy;
    area += (before.seen - after.seen) * (before.unseen + after.unseen) / 2;
  }
  return area;
}

ChosenPenalty best_penalty(const std::vector<SeenUnseenCurve>& curves) {
  std::set<double> ends;
  for (const SeenUnseenCurve& curve : curves)
    for (std::size_t k = 1; k < curve.size(); ++k) ends.insert(curve[k].penalty);
  ChosenPenalty best;
  for (auto end = ends.begin(); end != ends.end() && std::next(end) != ends.end(); ++end) {
    const double upper = *std::next(end), middle = *end + (upper - *end) / 2;
    double harmonic = 0;
    for (const SeenUnseenCurve& curve : curves)
      harmonic += accuracy_at(curve, upper).harmonic() / static_cast<double>(curves.size());
    if (harmonic > best.harmonic) best = {middle, harmonic};
  }
  return best;
}

}  // namespace bzscr
