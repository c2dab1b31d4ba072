#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <vector>

/// How good predictions are. Everywhere: N >= 1 samples; `truth` the true class of each,
/// `predicted` the class that scored highest; classes 0 to C - 1 are rows of Delta.
namespace bzscr {

/// N x k: the k best classes of each sample, best first; -1 fills up where there are fewer classes.
using Ranking = RowMatrix<std::int32_t>;

struct ClassCount {
  Index samples = 0;
  Index correct = 0;
};

struct Scores {
  Index samples = 0;        ///< N
  Index classes = 0;        ///< with at least one sample
  double error_rate = 0.0;  ///< share of samples whose best class is wrong
  double mean_delta = 0.0;  ///< of Delta(true, best) over samples: how far off the errors are
  double per_class_top1 =
      0.0;            ///< top-1 accuracy within each class that has samples, averaged over these
  double top5 = 0.0;  ///< share of samples whose true class is among the five best
};

double error_rate(const Labels& truth, const Labels& predicted);
double mean_delta(const Labels& truth, const Labels& predicted, const Matrix& Delta);
double top_k_accuracy(const Labels& truth, const Ranking& ranking,
                      Index k);  ///< k <= columns of ranking

/// C entries, also for classes without samples.
std::vector<ClassCount> count_by_class(const Labels& truth, const Labels& predicted, Index C);
/// C x C: how many samples of class r (row) had class c (column) as their best.
RowMatrix<Index> confusion_matrix(const Labels& truth, const Labels& predicted, Index C);
/// At least one class must have a sample.
double per_class_accuracy(const std::vector<ClassCount>& counts);

/// All of them. The ranking has at least five columns, filled up with -1 where needed.
Scores score_predictions(const Labels& truth, const Ranking& ranking, const Matrix& Delta);

// Generalised zero-shot learning: seen and unseen classes compete, and a penalty is taken off the
// scores of the seen ones (calibrated stacking: Chao et al., ECCV 2016).

/// A sample scored among seen and unseen classes. For any penalty, this says whether it is told
/// right.
struct JointOutcome {
  std::int32_t truth = 0;  ///< its class
  bool seen = false;       ///< that is a seen one
  bool leads_kind =
      false;          ///< and scores highest among the classes of its own kind, seen or unseen
  double lead = 0.0;  ///< best score of a seen class, less the best of an unseen one

  /// The kind that wins is the right one, and so is its best class. At a tie seen classes win.
  bool right(double penalty) const { return leads_kind && seen == (lead >= penalty); }
};

/// \param truth   the true class, a column of scores
/// \param scores  C; at least one class is seen and one is not
/// \param seen    C
JointOutcome joint_outcome(std::int32_t truth, const Vector& scores, const std::vector<bool>& seen);

struct SeenUnseen {
  double seen =
      0.0;  ///< S: top-1 accuracy within each seen class that has samples, averaged over these
  double unseen = 0.0;  ///< U: the same of unseen classes
  double harmonic() const {
    return seen + unseen > 0 ? 2 * seen * unseen / (seen + unseen) : 0;
  }  ///< H
};

/// S and U for every penalty: those of step k hold from its penalty, exclusive, to that of step k
/// + 1. The first is at minus infinity, where U is 0; in the last S is 0.
struct SeenUnseenStep {
  double penalty;
  SeenUnseen accuracy;
};
using SeenUnseenCurve = std::vector<SeenUnseenStep>;

/// \param outcomes  at least one of a seen and one of an unseen class
SeenUnseenCurve seen_unseen_curve(const std::vector<JointOutcome>& outcomes);
SeenUnseen accuracy_at(const SeenUnseenCurve& curve, double penalty);
/// AUSUC: the area under U as a function of S.
double area_under(const SeenUnseenCurve& curve);

struct ChosenPenalty {
  double penalty = 0.0;
  double harmonic = 0.0;  ///< the mean H there
};
/// The penalty of the highest H, averaged over the curves: the middle of the interval in which it
/// is reached, the lowest one of several. 0 where H is 0 everywhere.
ChosenPenalty best_penalty(const std::vector<SeenUnseenCurve>& curves);

}  // namespace bzscr
