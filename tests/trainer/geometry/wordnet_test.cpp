#include "geometry/wordnet.h"

#include <bzscr_train/error.hpp>
#include "data/formats/class_files.h"
#include "data/formats/npy_file.h"
#include "wordnet_builder.h"

#include <doctest/doctest.h>

#include <deque>
#include <limits>
#include <random>

namespace bzscr {
namespace {

constexpr double kNoPath = std::numeric_limits<double>::infinity();

Matrix paths(const test::WordNetFolder& folder, const std::vector<std::string>& keys) {
  std::vector<SynsetId> ids;
  for (const std::string& key : keys) ids.push_back(folder.id(key));
  return shortest_paths(WordNetNouns(folder.path()), ids);
}

TEST_CASE("a path is the shortest one up to a common hypernym and down again") {
  const test::WordNetFolder folder(test::animals());
  Matrix expected(6, 6);
  expected << 0, 2, 4, 1, 5, 3,  // cat; to an ant by pet, animal, insect
      2, 0, 4, 1, 5, 1,          // dog
      4, 4, 0, 5, 5, 5,          // ant
      1, 1, 5, 0, 4, 2,          // carnivore
      5, 5, 5, 4, 0, 6,          // eel; to a cat by fish, vertebrate, mammal, carnivore
      3, 1, 5, 2, 6, 0;          // Laika, an instance of a dog
  CHECK(paths(folder, {"cat", "dog", "ant", "carnivore", "eel", "Laika"}) == expected);
}

TEST_CASE("a common hyponym does not make a path between two classes") {
  const test::WordNetFolder folder(
      {{"a", {"a"}, {}}, {"b", {"b"}, {}}, {"child", {"child"}, {"a", "b"}}});
  CHECK(paths(folder, {"a", "child"})(0, 1) == 1);
  CHECK(paths(folder, {"a", "b"})(0, 1) == kNoPath);
}

/// Breadth first through the hierarchy as the test knows it, on places that remember whether the
/// way down has begun.
Matrix paths_by_search(const std::vector<test::TestSynset>& synsets) {
  const auto C = synsets.size();
  const auto index_of = [&](const std::string& key) {
    return std::stoul(key.substr(key.rfind(':') + 1));
  };
  std::vector<std::vector<std::size_t>> above(C), below(C);
  for (std::size_t i = 0; i < C; ++i)
    for (const std::string& key : synsets[i].hypernyms) {
      above[i].push_back(index_of(key));
      below[index_of(key)].push_back(i);
    }
  Matrix SPath = Matrix::Constant(static_cast<Index>(C), static_cast<Index>(C), kNoPath);
  for (std::size_t start = 0; start < C; ++start) {
    std::vector<int> steps(2 * C, -1);  // [i]: going up; [C + i]: going down
    std::deque<std::size_t> queue = {start};
    steps[start] = 0;
    const auto visit = [&](std::size_t place, int at) {
      if (steps[place] >= 0) return;
      steps[place] = at;
      queue.push_back(place);
    };
    for (; !queue.empty(); queue.pop_front()) {
      const std::size_t place = queue.front(), i = place % C;
      if (place < C)
        for (const std::size_t next : above[i]) visit(next, steps[place] + 1);
      for (const std::size_t next : below[i]) visit(C + next, steps[place] + 1);
    }
    for (std::size_t end = 0; end < C; ++end)
      for (const int at : {steps[end], steps[C + end]})
        if (at >= 0) {
          double& shortest = SPath(static_cast<Index>(start), static_cast<Index>(end));
          shortest = std::min<double>(shortest, at);
        }
  }
  return SPath;
}

TEST_CASE(
    "in hierarchies with several parents and several roots, paths agree with a plain search") {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<test::TestSynset> synsets;
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < 60; ++i) {
      std::vector<std::string> hypernyms;
      if (i >= 3)  // three roots
        for (std::size_t n = 1 + random() % 3; n > 0; --n)
          hypernyms.push_back((random() % 4 == 0 ? "i:" : "") + std::to_string(random() % i));
      keys.push_back(std::to_string(i));
      synsets.push_back({keys.back(), {"noun" + keys.back()}, hypernyms});
    }
    CHECK(paths(test::WordNetFolder(synsets), keys) == paths_by_search(synsets));
  }
}

TEST_CASE("paths are found in a hierarchy with a cycle") {
  const test::WordNetFolder folder({{"a", {"a"}, {"c"}}, {"b", {"b"}, {"a"}}, {"c", {"c"}, {"b"}}});
  Matrix expected(3, 3);
  expected << 0, 1, 1, 1, 0, 1, 1, 1, 0;
  CHECK(paths(folder, {"a", "b", "c"}) == expected);
}

TEST_CASE("a hypernym that does not exist is refused") {
  const test::WordNetFolder folder({{"a", {"a"}, {"nowhere"}}});  // becomes offset 0, the licence
  CHECK_THROWS_WITH_AS(paths(folder, {"a"}),
                       (folder / "data.noun: n00000000: no synset starts at this offset").c_str(),
                       InputError);
}

TEST_CASE(
    "path lengths between the example's classes in WordNet 3.0 agree with those of another "
    "program") {
  const std::string folder = BZSCR_EXAMPLE_DATA "/caltech/";
  const Matrix expected = NpyFile(folder + "wordnet_hops.npy").matrix();
  const std::vector<SynsetId> ids = read_synset_ids(folder + "synsets.txt", 94);
  CHECK(shortest_paths(WordNetNouns(wordnet_folder("")), ids) == expected);
}

}  // namespace
}  // namespace bzscr
