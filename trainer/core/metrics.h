#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <vector>

/// Measures of the quality of predictions. In all functions: N >= 1 samples; `truth` holds the true
/// class of each, `predicted` the class with the highest score; classes 0 to C - 1 are rows of
/// Delta.
namespace bzscr {

/// N x k: the k best classes of each sample, best first; padded with -1 if there are fewer classes.
using Ranking = RowMatrix<std::int32_t>;

struct ClassCount {
  Index samples = 0;
  Index correct = 0;
};

struct Scores {
  Index samples = 0;            ///< N
  Index classes = 0;            ///< with at least one sample
  double error_rate = 0.0;      ///< share of misclassified samples, in [0, 1]
  double mean_delta = 0.0;      ///< mean of Delta(true, predicted) over the samples, in [0, 1]
  double per_class_top1 = 0.0;  ///< top-1 accuracy per class, averaged over classes with samples
  double top5 = 0.0;            ///< share of samples whose true class is among the five best
};

double error_rate(const Labels& truth, const Labels& predicted);
double mean_delta(const Labels& truth, const Labels& predicted, const Matrix& Delta);
/// \param k  1 to the columns of `ranking`
double top_k_accuracy(const Labels& truth, const Ranking& ranking, Index k);

/// C entries, including classes without samples.
std::vector<ClassCount> count_by_class(const Labels& truth, const Labels& predicted, Index C);
/// C x C: the number of samples of class r (row) that are classified as c (column).
RowMatrix<Index> confusion_matrix(const Labels& truth, const Labels& predicted, Index C);
/// Accuracy per class, averaged over the classes with samples. At least one class must have one.
double per_class_accuracy(const std::vector<ClassCount>& counts);

/// All measures of Scores. The ranking has at least five columns, padded with -1.
Scores score_predictions(const Labels& truth, const Ranking& ranking, const Matrix& Delta);

// Generalised zero-shot learning: samples are scored among seen and unseen classes, and a penalty
// is subtracted from the scores of seen classes (calibrated stacking: Chao et al., ECCV 2016).

/// The scores of a sample among seen and unseen classes, reduced to what decides for any penalty
/// whether it is classified correctly.
struct JointOutcome {
  std::int32_t truth = 0;   ///< true class
  bool seen = false;        ///< the true class is a seen one
  bool leads_kind = false;  ///< the true class has the highest score of its kind (seen or unseen)
  double lead = 0.0;        ///< highest score of a seen class minus that of an unseen class

  /// Whether the sample is classified correctly with this penalty. At a tie a seen class is
  /// predicted.
  bool right(double penalty) const { return leads_kind && seen == (lead >= penalty); }
};

/// \param truth   the true class, 0 to C - 1
/// \param scores  C scores; at least one class is seen and one is unseen
/// \param seen    C flags
JointOutcome joint_outcome(std::int32_t truth, const Vector& scores, const std::vector<bool>& seen);

struct SeenUnseen {
  double seen = 0.0;    ///< S: top-1 accuracy per seen class, averaged over classes with samples
  double unseen = 0.0;  ///< U: the same over unseen classes
  /// H, the harmonic mean of S and U.
  double harmonic() const { return seen + unseen > 0 ? 2 * seen * unseen / (seen + unseen) : 0; }
};

/// A step of S and U as functions of the penalty. Step k holds for penalties above its own, up to
/// and including that of step k + 1. The first step is at minus infinity, with U = 0; the last one
/// has S = 0.
struct SeenUnseenStep {
  double penalty;
  SeenUnseen accuracy;
};
using SeenUnseenCurve = std::vector<SeenUnseenStep>;

/// \param outcomes  with at least one sample of a seen and one of an unseen class
SeenUnseenCurve seen_unseen_curve(const std::vector<JointOutcome>& outcomes);
SeenUnseen accuracy_at(const SeenUnseenCurve& curve, double penalty);
/// AUSUC: the area under U as a function of S.
double area_under(const SeenUnseenCurve& curve);

struct ChosenPenalty {
  double penalty = 0.0;
  double harmonic = 0.0;  ///< H at this penalty, averaged over the curves
};
/// The penalty with the highest H, averaged over the curves: the middle of the interval in which
/// the maximum is attained, and of several intervals the lowest. 0 if H is 0 everywhere.
ChosenPenalty best_penalty(const std::vector<SeenUnseenCurve>& curves);

}  // namespace bzscr
