#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <vector>

/// How good predictions are. Everywhere: N >= 1 samples; `truth` the true class of each, `predicted` the
/// class that scored highest; classes 0 to C - 1 are rows of Delta.
namespace bzscr {

/// N x k: the k best classes of each sample, best first; -1 fills up where there are fewer classes.
using Ranking = RowMatrix<std::int32_t>;

struct ClassCount {
  Index samples = 0;
  Index correct = 0;
};

struct Scores {
  Index samples = 0;            ///< N
  Index classes = 0;            ///< with at least one sample
  double error_rate = 0.0;      ///< share of samples whose best class is wrong
  double mean_delta = 0.0;      ///< of Delta(true, best) over samples: how far off the errors are
  double per_class_top1 = 0.0;  ///< top-1 accuracy within each class that has samples, averaged over these
  double top5 = 0.0;            ///< share of samples whose true class is among the five best
};

double error_rate(const Labels& truth, const Labels& predicted);
double mean_delta(const Labels& truth, const Labels& predicted, const Matrix& Delta);
double top_k_accuracy(const Labels& truth, const Ranking& ranking, Index k);  ///< k <= columns of ranking

/// C entries, also for classes without samples.
std::vector<ClassCount> count_by_class(const Labels& truth, const Labels& predicted, Index C);
/// C x C: how many samples of class r (row) had class c (column) as their best.
RowMatrix<Index> confusion_matrix(const Labels& truth, const Labels& predicted, Index C);
/// At least one class must have a sample.
double per_class_accuracy(const std::vector<ClassCount>& counts);

/// All of them. The ranking has at least five columns, filled up with -1 where needed.
Scores score_predictions(const Labels& truth, const Ranking& ranking, const Matrix& Delta);

}  // namespace bzscr
