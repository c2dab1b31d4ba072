#pragma once

#include "types/linalg.h"

#include <vector>

namespace bzscr {

struct Dataset;

/// The roles of the classes and samples of a data set. It holds indices only, so that several
/// splits share one data set. All classes that are not unseen are seen.
struct Partition {
  std::vector<Index> unseen;                         ///< classes, ascending; may be empty
  std::vector<std::vector<Index>> validation_folds;  ///< seen classes, ascending; may be empty
  std::vector<Index> held_out;  ///< samples of seen classes, ascending; never trained on
};

/// All classes that are not unseen, ascending.
std::vector<Index> seen_classes(const Dataset& data, const Partition& partition);

}  // namespace bzscr
