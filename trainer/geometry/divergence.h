#pragma once

#include "data/dataset.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr {

/// Semantic divergences Delta(r1, r2) in [0, 1], zero on the diagonal. All are C x C.

/// (1 - cos) / (1 - min cos) of embeddings as given, before any centring, Eq. (14). Where all
/// embeddings point the same way, zero.
/// \param embeddings  C x d, no zero rows
/// \param parts       of embeddings joined from several, whose cosines are averaged; empty: one
/// part
Matrix cosine_divergence(const Matrix& embeddings, const std::vector<Index>& parts = {});

/// 1 - 1 / (SPath + 1), Eq. (13).
/// \param SPath  C x C, >= 0: steps through a taxonomy; infinite where no path leads
Matrix path_divergence(const Matrix& SPath);

/// 1 between any two classes.
Matrix zero_one_divergence(Index classes);

struct Divergence {
  Matrix Delta;
  std::string name;                ///< for the model's record: the word, or the file's name
  std::vector<std::string> notes;  ///< sentences: how the classes' names were taken
};

/// The words that name a divergence: cosine, wordnet, zero-one.
const std::vector<std::string>& divergence_words();
/// The file, where what was asked for is none of the words; else empty.
std::string divergence_file(const std::string& asked);

/// The divergence between a data set's classes.
/// \param asked    one of the words, or the file that data.divergence was read from; empty: the
/// data set's own
///                 where it has one, else cosine
/// \param wordnet  folder of its database files, as wordnet_folder (data/wordnet_files.h) takes it
Divergence divergence_of(const Dataset& data, const std::string& asked, const std::string& wordnet);

}  // namespace bzscr
