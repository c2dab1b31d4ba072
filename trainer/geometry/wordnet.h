#pragma once

#include "data/wordnet/wordnet_files.h"
#include "types/linalg.h"

#include <vector>

namespace bzscr {

/// SPath of Eq. (13): the length of the shortest path from one synset up to a common hypernym and
/// down to the other. Infinite if there is none, which does not occur in WordNet 3.0.
/// \return  C x C, symmetric, zero between equal synsets
Matrix shortest_paths(const WordNetNouns& nouns, const std::vector<SynsetId>& synsets);

}  // namespace bzscr
