#include "tuning/folds.h"

#include <bzscr_train/error.hpp>
#include "trainer/geometry/memory_dataset.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace bzscr {
namespace {

using test::MemoryDataset;

bool same(const std::vector<ClassSplit>& a, const std::vector<ClassSplit>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.seen == y.seen && x.targets == y.targets;
  });
}

TEST_CASE("the validation classes of the data set are the folds, whatever the seed and the count") {
  MemoryDataset memory(60, 3, 3, 12, {1, 11});
  memory.data.partition.validation_folds = {{0, 5, 6}};
  for (const Index count : {1, 4})
    for (const std::uint64_t seed : {1u, 2u}) {
      const std::vector<ClassSplit> splits =
          validation_splits(memory.data, memory.data.partition, count, seed);
      REQUIRE(splits.size() == 1);
      CHECK(splits[0].targets == std::vector<Index>{0, 5, 6});
      CHECK(splits[0].seen == std::vector<Index>{2, 3, 4, 7, 8, 9, 10});
    }

  memory.data.partition.validation_folds = {{0, 5, 6}, {2, 10}};
  const std::vector<ClassSplit> splits =
      validation_splits(memory.data, memory.data.partition, 1, 1);
  REQUIRE(splits.size() == 2);
  CHECK(splits[0].targets == std::vector<Index>{0, 5, 6});
  CHECK(splits[1].targets == std::vector<Index>{2, 10});
  CHECK(splits[1].seen == std::vector<Index>{0, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE(
    "drawn folds are disjoint and ascending, hold a fifth of the seen classes, and never an unseen "
    "class") {
  const MemoryDataset memory(240, 3, 3, 24, {3, 9, 20, 23});
  const std::vector<Index> seen = seen_classes(memory.data, memory.data.partition);
  REQUIRE(seen.size() == 20);
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const Index count : {1, 3, 5}) {
      const std::vector<ClassSplit> splits =
          validation_splits(memory.data, memory.data.partition, count, seed);
      REQUIRE(static_cast<Index>(splits.size()) == count);
      std::set<Index> held_out;
      for (const ClassSplit& split : splits) {
        CHECK(split.targets.size() == 4);
        CHECK(std::is_sorted(split.targets.begin(), split.targets.end()));
        CHECK(std::is_sorted(split.seen.begin(), split.seen.end()));
        for (const Index c : split.targets) {
          CHECK(held_out.insert(c).second);
          CHECK(std::binary_search(seen.begin(), seen.end(), c));
        }
        std::vector<Index> all;
        std::merge(split.seen.begin(), split.seen.end(), split.targets.begin(), split.targets.end(),
                   std::back_inserter(all));
        CHECK(all == seen);
      }
    }
}

TEST_CASE(
    "the same seed draws the same folds, another seed others, and fewer folds are the first of "
    "more") {
  const MemoryDataset memory(240, 3, 3, 24, {3});
  CHECK(same(validation_splits(memory.data, memory.data.partition, 3, 7),
             validation_splits(memory.data, memory.data.partition, 3, 7)));
  CHECK_FALSE(same(validation_splits(memory.data, memory.data.partition, 3, 7),
                   validation_splits(memory.data, memory.data.partition, 3, 8)));
  std::vector<ClassSplit> first = validation_splits(memory.data, memory.data.partition, 3, 7);
  first.resize(1);
  CHECK(same(first, validation_splits(memory.data, memory.data.partition, 1, 7)));
}

TEST_CASE("a class without training samples is never held out, but remains a seen class") {
  MemoryDataset memory(240, 3, 3, 24, {3});
  for (std::size_t i = 0; i < memory.data.labels.size(); ++i) {
    if (memory.data.labels[i] == 5) memory.data.labels[i] = 6;
    if (memory.data.labels[i] == 8) memory.data.partition.held_out.push_back(static_cast<Index>(i));
  }
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const ClassSplit& split : validation_splits(memory.data, memory.data.partition, 5, seed)) {
      for (const Index c : {5, 8}) {
        CHECK_FALSE(std::binary_search(split.targets.begin(), split.targets.end(), c));
        CHECK(std::binary_search(split.seen.begin(), split.seen.end(), c));
      }
    }
}

TEST_CASE(
    "at least two classes are held out and at least two are left, and fewer than four seen classes "
    "are an error") {
  for (const Index C : {4, 5, 6, 9}) {
    const MemoryDataset memory(C * 5, 3, 3, C, {});
    const std::vector<ClassSplit> splits =
        validation_splits(memory.data, memory.data.partition, 5, 1);
    REQUIRE_FALSE(splits.empty());
    for (const ClassSplit& split : splits) {
      CHECK(split.targets.size() == 2);
      CHECK(static_cast<Index>(split.seen.size()) == C - 2);
    }
  }
  const MemoryDataset small(20, 3, 3, 5, {1, 2});
  CHECK_THROWS_WITH_AS(
      validation_splits(small.data, small.data.partition, 1, 1),
      "memory: has 3 seen classes with training samples; expected at least 4 to hold "
      "out some and choose hyper-parameters, or hyper-parameters that are given",
      InputError);
}

}  // namespace
}  // namespace bzscr
