#pragma once

#include "data/vectors/word_vectors.h"
#include "types/linalg.h"

#include <functional>
#include <string>
#include <vector>

namespace bzscr {

struct NameVectors {
  MatrixF vectors;  ///< one row per name
  /// For each name the words of the file, as spelled there.
  std::vector<std::vector<std::string>> used;
};

/// Finds an embedding for each name in one pass through a file of word vectors: the vector of the
/// whole name, as given or joined with '_' or '-', or else the mean of the vectors of its words
/// (name_forms.h). A number before a name ("001.Black_footed_Albatross") and the prefix /c/en/ of a
/// word of ConceptNet may be missing on the other side. An exact spelling is preferred to one that
/// differs in case, and of several the first in the file, which is the most frequent word. Throws
/// InputError for names that are not found, listing the first 200 with the nearest words of the
/// file, and for a name whose embedding is all zero.
/// \param progress  called repeatedly with the share of the file that has been read, in [0, 1]
NameVectors find_name_vectors(const std::vector<std::string>& names, WordVectorFile& file,
                              const std::function<void(double)>& progress);

}  // namespace bzscr
