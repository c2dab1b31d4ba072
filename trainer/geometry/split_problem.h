#pragma once

#include "data/dataset.h"
#include "geometry/embedding.h"
#include "types/ensemble.h"
#include "types/problem.h"
#include "types/scaling.h"

#include <vector>

namespace bzscr {

struct Scalings {
  FeatureScaling features = FeatureScaling::kUnit;
  EmbeddingScaling embeddings = EmbeddingScaling::kCentreUnit;
  bool centre_features = false;  ///< minus their mean over the training samples, after the scaling
  /// gamma: the embedding of seen class r becomes [phi_r; gamma e_r], that of every other class
  /// [phi_r; 0], so that a seen class has a part of its own. 0: no such part.
  double own_part = 0;
};

/// The classes of a training problem, as ascending class indices of the data set.
struct ClassSplit {
  std::vector<Index> seen;     ///< at least two; their samples are trained on
  std::vector<Index> targets;  ///< unseen classes, or held-out classes in their role; may be empty
};

/// A training problem of a data set, with the transform of its coordinates.
struct SplitProblem {
  ClassSplit classes;
  EmbeddingTransform transform;
  FeatureScaling feature_scaling = FeatureScaling::kUnit;
  double own_part = 0;  ///< Scalings::own_part
  Matrix basis;         ///< d x p, or (d + seen) x p with own parts
  Problem problem;      ///< seen classes in the order of classes.seen, then the targets

  /// The ensemble with V in the space of transformed embeddings (d, or d + seen) instead of
  /// coordinates (p).
  Ensemble lift(Ensemble ensemble) const {
    return {std::move(ensemble.U), basis * ensemble.V, std::move(ensemble.w)};
  }
};

/// The origin of the coordinates of Phi. It has no effect on BZ-SCR and other methods that depend
/// only on differences of classes.
enum class Origin {
  kMean,       ///< the mean of all classes: one dimension less
  kTransform,  ///< the origin of the transformed embeddings
};

/// The training problem on the samples of the seen classes that the partition does not hold out.
/// \param Delta  C x C over all classes of the data set
SplitProblem split_problem(const Dataset& data, const Partition& partition, const Matrix& Delta,
                           const ClassSplit& classes, const Scalings& scalings,
                           const Execution& execution = {}, Origin origin = Origin::kMean);

/// The split in which all seen classes are trained on and the unseen classes are the targets.
ClassSplit all_classes(const Dataset& data, const Partition& partition);

/// Samples of the data set by their rows (ascending), as they are in the file.
Samples raw_samples(const Dataset& data, std::vector<Index> rows, const Execution& execution = {});

/// Samples of the data set by their rows (ascending), transformed like those of the problem. All
/// ranks call it.
Samples samples_like(const Dataset& data, std::vector<Index> rows, const SplitProblem& split);

/// The samples of the target classes that the partition does not hold out, to be scored among the
/// target classes. All ranks call it.
EvaluationSet unseen_evaluation_set(const Dataset& data, const Partition& partition,
                                    const SplitProblem& split);

}  // namespace bzscr
