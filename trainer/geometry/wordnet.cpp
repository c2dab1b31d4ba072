#include "geometry/wordnet.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace bzscr {
namespace {

struct Ancestor {
  SynsetId id;
  int steps;  // length of the shortest path up to it
};

/// A synset (0 steps) and all its direct and indirect hypernyms, sorted by id.
std::vector<Ancestor> ancestors_of(const WordNetNouns& nouns, SynsetId id) {
  std::vector<Ancestor> found = {{id, 0}};
  std::unordered_set<SynsetId> known = {id};
  // Breadth first: `found` grows in the loop.
  for (std::size_t next = 0; next < found.size(); ++next) {
    const Ancestor at = found[next];
    for (const SynsetId above : nouns.synset(at.id).hypernyms)
      if (known.insert(above).second) found.push_back({above, at.steps + 1});
  }
  std::sort(found.begin(), found.end(),
            [](const Ancestor& a, const Ancestor& b) { return a.id < b.id; });
  return found;
}

double shortest_path(const std::vector<Ancestor>& a, const std::vector<Ancestor>& b) {
  double shortest = std::numeric_limits<double>::infinity();
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->id == j->id) shortest = std::min<double>(shortest, i->steps + j->steps);
    if (i->id <= j->id)
      ++i;
    else
      ++j;
  }
  return shortest;
}

}  // namespace

Matrix shortest_paths(const WordNetNouns& nouns, const std::vector<SynsetId>& synsets) {
  std::vector<std::vector<Ancestor>> ancestors;
  for (const SynsetId id : synsets) ancestors.push_back(ancestors_of(nouns, id));
  const auto C = static_cast<Index>(synsets.size());
  Matrix SPath(C, C);
  for (Index y = 0; y < C; ++y)
    for (Index r = 0; r <= y; ++r)
      SPath(y, r) = SPath(r, y) = shortest_path(ancestors[static_cast<std::size_t>(y)],
                                                ancestors[static_cast<std::size_t>(r)]);
  return SPath;
}

}  // namespace bzscr
