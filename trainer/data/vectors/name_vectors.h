#pragma once

#include "data/vectors/word_vectors.h"
#include "types/linalg.h"

#include <functional>
#include <string>
#include <vector>

namespace bzscr {

struct NameVectors {
  MatrixF vectors;  ///< a row for each name
  std::vector<std::vector<std::string>>
      used;  ///< for each name, the words of the file, as spelled there
};

/// An embedding for each name, from one pass through a file of word vectors: the vector of the
/// whole name, as it is written or joined with '_' or '-', else the mean of the vectors of its
/// words (name_forms.h). For either the exact spelling is preferred to one that differs in case
/// alone, and among these the first in the file, which is the most frequent word. Throws
/// InputError, listing all of them with the nearest words of the file, for names that are there in
/// neither form, and for a name whose embedding is all zero.
/// \param progress  called now and then with the share of the file that has been read
NameVectors find_name_vectors(const std::vector<std::string>& names, WordVectorFile& file,
                              const std::function<void(double)>& progress);

}  // namespace bzscr
