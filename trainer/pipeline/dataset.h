#pragma once

#include "data/dataset.h"
#include "geometry/divergence.h"

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

/// What a train::Dataset shares: the data set as it was read, and how far its classes are apart.
struct Dataset::Content {
  bzscr::Dataset data;
  bzscr::Divergence divergence;
  std::string missing;             ///< ReadOptions::missing
  std::string wordnet;             ///< ReadOptions::wordnet
  std::string asked_divergence;    ///< ReadOptions::divergence
  std::vector<std::string> notes;  ///< of the data set and of the divergence
};

/// Checked against the data set: indices in range and rising, unseen classes and held-out samples apart.
/// Throws InputError.
bzscr::Partition checked_partition(const Dataset& data, const Partition& partition);
Partition public_partition(const bzscr::Partition& partition);

}  // namespace bzscr::train
