#include "tuning/folds.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

namespace bzscr {
namespace {

ClassSplit hold_out(const std::vector<Index>& seen, std::vector<Index> held_out) {
  std::sort(held_out.begin(), held_out.end());
  ClassSplit split{{}, held_out};
  std::set_difference(seen.begin(), seen.end(), held_out.begin(), held_out.end(),
                      std::back_inserter(split.seen));
  return split;
}

std::vector<Index> with_training_samples(const Dataset& data, const Partition& partition,
                                         const std::vector<Index>& classes) {
  std::vector<bool> has(data.class_names.size(), false);
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    if (!std::binary_search(partition.held_out.begin(), partition.held_out.end(),
                            static_cast<Index>(i)))
      has[static_cast<std::size_t>(data.labels[i])] = true;
  std::vector<Index> out;
  for (const Index c : classes)
    if (has[static_cast<std::size_t>(c)]) out.push_back(c);
  return out;
}

Index drawn_size(std::size_t available) {
  return std::max<Index>(2, static_cast<Index>(available) / 5);
}

bool enough(std::size_t available) {
  return static_cast<Index>(available) >= drawn_size(available) + 2;
}

}  // namespace

// Fisher-Yates with modulo: the order of std::shuffle differs between standard libraries.
void shuffle(std::vector<Index>& values, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

bool can_hold_out(const Dataset& data, const Partition& partition) {
  return !partition.validation_folds.empty() ||
         enough(with_training_samples(data, partition, seen_classes(data, partition)).size());
}

std::vector<ClassSplit> validation_splits(const Dataset& data, const Partition& partition,
                                          Index count, std::uint64_t seed) {
  const std::vector<Index> seen = seen_classes(data, partition);
  if (!partition.validation_folds.empty()) {
    std::vector<ClassSplit> splits;
    for (const std::vector<Index>& fold : partition.validation_folds)
      splits.push_back(hold_out(seen, fold));
    return splits;
  }

  std::vector<Index> pool = with_training_samples(data, partition, seen);
  const auto available = static_cast<Index>(pool.size());
  const Index size = drawn_size(pool.size());
  if (!enough(pool.size()))
    throw InputError(data.folder,
                     fmt::format("has {} seen classes with training samples; expected at "
                                 "least 4 to hold out some and choose hyper-parameters, "
                                 "or hyper-parameters that are given",
                                 available));
  shuffle(pool, seed);
  std::vector<ClassSplit> splits;
  for (Index f = 0; f < count && (f + 1) * size <= available && available - size >= 2; ++f)
    splits.push_back(hold_out(seen, {pool.begin() + f * size, pool.begin() + (f + 1) * size}));
  return splits;
}

}  // namespace bzscr
