#pragma once

#include "types/linalg.h"

#include <string>
#include <vector>

/// Files of word vectors for tests, written according to the descriptions of the formats.
namespace bzscr::test {

using Words = std::vector<std::string>;

/// One line per word: "word 0.5 -1.25".
std::string glove_bytes(const Words& words, const Matrix& vectors);
/// As word2vec writes it, with a space at the end of each line.
std::string word2vec_text_bytes(const Words& words, const Matrix& vectors);
/// \param line_ends  whether a line end follows every vector, as word2vec writes it; the files of
///                   Google News have none
std::string word2vec_binary_bytes(const Words& words, const Matrix& vectors, bool line_ends);
std::string gzip_bytes(const std::string& bytes);

/// Vectors of numbers with few decimals.
Matrix short_numbers(Index words, Index dimension);
/// `count` distinct words of different lengths.
Words distinct_words(Index count);

}  // namespace bzscr::test
