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
  Matrix basis;     ///< d x p
  Problem problem;  ///< seen classes in the order of classes.seen, then the targets

  /// The ensemble with V in the space of transformed embeddings (d) instead of coordinates (p).
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

/// Samples of the data set by their rows (ascending), scaled like the training samples.
Samples samples_at(const Dataset& data, std::vector<Index> rows, FeatureScaling scaling,
                   const Execution& execution = {});

/// The samples of the target classes that the partition does not hold out, to be scored among the
/// target classes.
EvaluationSet unseen_evaluation_set(const Dataset& data, const Partition& partition,
                                    const SplitProblem& split, const Scalings& scalings);

}  // namespace bzscr
