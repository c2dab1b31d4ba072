#pragma once

#include "data/dataset.h"
#include "geometry/divergence.h"

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

/// The content that copies of a train::Dataset share: the data set and its divergence.
struct Dataset::Content {
  bzscr::Dataset data;
  bzscr::Divergence divergence;
  std::string missing;             ///< ReadOptions::missing
  std::string wordnet;             ///< ReadOptions::wordnet
  std::string asked_divergence;    ///< ReadOptions::divergence
  std::vector<std::string> notes;  ///< of the data set and of the divergence
};

/// Checks a partition against the data set. Throws InputError if indices are out of range or not
/// ascending, a validation class is unseen, or a held-out sample is of an unseen class.
bzscr::Partition checked_partition(const Dataset& data, const Partition& partition);
/// The same for training. Throws InputError also if fewer than two classes are seen, or would be
/// left of them without a validation fold, or if no sample is left to train on. A data set of test
/// samples alone can be read and evaluated.
bzscr::Partition training_partition(const Dataset& data, const Partition& partition);
Partition public_partition(const bzscr::Partition& partition);

}  // namespace bzscr::train
