#include "core/metrics.h"

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

}  // namespace bzscr
