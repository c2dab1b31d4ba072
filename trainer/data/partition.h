#pragma once

#include "types/linalg.h"

#include <vector>

namespace bzscr {

struct Dataset;

/// Which class and which sample of a data set plays which part: a value beside the data, so that no
/// split copies a data set. All other classes are seen.
struct Partition {
  std::vector<Index> unseen;  ///< classes, rising; may be empty: all classes are seen
  std::vector<std::vector<Index>> validation_folds;  ///< each rising; seen classes; may be empty
  std::vector<Index> held_out;  ///< samples of seen classes, rising: never trained on
};

/// All classes that are not unseen, rising.
std::vector<Index> seen_classes(const Dataset& data, const Partition& partition);

}  // namespace bzscr
