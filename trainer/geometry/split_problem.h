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

/// Which classes play which part. Class indices of the data set, rising.
struct ClassSplit {
  std::vector<Index> seen;     ///< at least two; their samples train
  std::vector<Index> targets;  ///< the unseen classes, or those that play them; may be empty
};

/// A problem cut from a data set, and the way back from its coordinates.
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

/// Where the coordinates of Phi have their origin. BZ-SCR and methods that learn from differences
/// of classes do not see it.
enum class Origin {
  kMean,       ///< the mean of all classes: one dimension less
  kTransform,  ///< where the transform of embeddings puts it
};

/// Training problem on the samples of the seen classes, but those that the partition holds out.
/// \param Delta  C x C over all classes of the data set
SplitProblem split_problem(const Dataset& data, const Partition& partition, const Matrix& Delta,
                           const ClassSplit& classes, const Scalings& scalings,
                           const Execution& execution = {}, Origin origin = Origin::kMean);

/// All seen classes train, and the unseen ones are the targets.
ClassSplit all_classes(const Dataset& data, const Partition& partition);

/// Samples of the data set by their rows, rising, scaled as those that train.
Samples samples_at(const Dataset& data, std::vector<Index> rows, FeatureScaling scaling,
                   const Execution& execution = {});

/// The target classes' samples (again without those held out), to be scored among the target
/// classes.
EvaluationSet unseen_evaluation_set(const Dataset& data, const Partition& partition,
                                    const SplitProblem& split, const Scalings& scalings);

}  // namespace bzscr
