#pragma once

#include "data/dataset.h"
#include "data/wordnet/wordnet_files.h"

#include <string>
#include <vector>

namespace bzscr {

/// The synset of every class of a data set: what its synsets.txt says, else the only sense that the
/// class's name has as a noun of WordNet, each with a sentence in `notes`. Throws InputError for an
/// id of synsets.txt that WordNet does not have, and, listing the senses of all classes, where a
/// name has none or several.
std::vector<SynsetId> class_synsets(const Dataset& data, const WordNetNouns& nouns,
                                    std::vector<std::string>& notes);

}  // namespace bzscr
