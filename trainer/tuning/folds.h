#pragma once

#include "data/dataset.h"
#include "geometry/split_problem.h"

#include <cstdint>
#include <vector>

namespace bzscr {

/// Class splits in which some seen classes are held out in the role of unseen classes. No split
/// contains an unseen class or a sample of one.
///
/// They are the validation folds of the partition if it has any; else up to `count` disjoint folds
/// of a fifth of the seen classes with samples (at least two classes each), drawn with `seed`.
/// Throws InputError if fewer than two classes would be left to train on.
std::vector<ClassSplit> validation_splits(const Dataset& data, const Partition& partition,
                                          Index count, std::uint64_t seed);

/// Whether validation_splits() returns splits, and does not throw.
bool can_hold_out(const Dataset& data, const Partition& partition);

/// Random permutation by a seed, the same on every machine.
void shuffle(std::vector<Index>& values, std::uint64_t seed);

}  // namespace bzscr
