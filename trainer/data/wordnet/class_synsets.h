#pragma once

#include "data/dataset.h"
#include "data/wordnet/wordnet_files.h"

#include <string>
#include <vector>

namespace bzscr {

/// The synsets of the classes of a data set: those of its synsets.txt, or else the only sense of
/// the name of each class as a noun of WordNet, with a note for each. Throws InputError for an id
/// of synsets.txt that WordNet does not have, and if a name has no sense or several, with a list of
/// the senses of all classes.
std::vector<SynsetId> class_synsets(const Dataset& data, const WordNetNouns& nouns,
                                    std::vector<std::string>& notes);

}  // namespace bzscr
