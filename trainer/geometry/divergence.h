#pragma once

#include "data/dataset.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr {

/// Semantic divergences Delta(r1, r2) in [0, 1], zero on the diagonal. All are C x C.

/// (1 - cos) / (1 - min cos) of the embeddings before any centring, Eq. (14). Zero if all
/// embeddings have the same direction.
/// \param embeddings  C x d, no zero rows
/// \param parts       dimensions of concatenated embeddings, whose cosines are averaged; empty: one
///                    part
Matrix cosine_divergence(const Matrix& embeddings, const std::vector<Index>& parts = {});

/// 1 - 1 / (SPath + 1), Eq. (13).
/// \param SPath  C x C, >= 0: steps in a taxonomy; infinite where there is no path
Matrix path_divergence(const Matrix& SPath);

/// 1 between any two different classes, C x C.
Matrix zero_one_divergence(Index classes);

struct Divergence {
  Matrix Delta;
  std::string name;                ///< for the model's record: the word, or the name of the file
  std::vector<std::string> notes;  ///< the synsets of the class names, one line each
};

/// The names of divergences: cosine, wordnet, zero-one.
const std::vector<std::string>& divergence_words();
/// `asked` if it is not one of these names, and therefore a file; else empty.
std::string divergence_file(const std::string& asked);

/// The divergence between a data set's classes.
/// \param asked    one of the names, or the file of data.divergence; empty: the data set's own
///                 divergence, or else cosine
/// \param wordnet  argument of wordnet_folder() (data/wordnet/wordnet_files.h)
Divergence divergence_of(const Dataset& data, const std::string& asked, const std::string& wordnet);

}  // namespace bzscr
