#pragma once

#include "data/dataset.h"
#include "geometry/split_problem.h"

#include <cstdint>
#include <vector>

namespace bzscr {

/// Ways to hold out some seen classes, which then play the unseen ones. No fold ever holds an
/// unseen class or a sample of one.
///
/// Those that the data set names, where it names any; else `count` disjoint folds of a fifth of
/// the seen classes that have samples (at least two classes each), drawn with `seed`. Throws
/// InputError where that would leave fewer than two classes to train on.
std::vector<ClassSplit> validation_splits(const Dataset& data, const Partition& partition,
                                          Index count, std::uint64_t seed);

/// Whether there are any: validation_splits() would not throw.
bool can_hold_out(const Dataset& data, const Partition& partition);

/// The same order on every machine.
void shuffle(std::vector<Index>& values, std::uint64_t seed);

}  // namespace bzscr
