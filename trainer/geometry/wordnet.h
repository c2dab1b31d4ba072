#pragma once

#include "data/wordnet/wordnet_files.h"
#include "types/linalg.h"

#include <vector>

namespace bzscr {

/// SPath of Eq. (13): steps from each synset up to a hypernym that two have in common and down to
/// the other, by the shortest way. Infinite where there is none, which WordNet 3.0 itself never
/// makes so.
/// \return  C x C, symmetric, zero between equal synsets
Matrix shortest_paths(const WordNetNouns& nouns, const std::vector<SynsetId>& synsets);

}  // namespace bzscr
