#pragma once

#include "types/linalg.h"

#include <string>
#include <vector>

/// Files of word vectors for tests, written by the formats' descriptions.
namespace bzscr::test {

using Words = std::vector<std::string>;

std::string glove_bytes(const Words& words,
                        const Matrix& vectors);  ///< a line each: "word 0.5 -1.25"
std::string word2vec_text_bytes(
    const Words& words, const Matrix& vectors);  ///< as word2vec writes it: a blank ends a line
/// \param line_ends  after every vector, as word2vec itself writes; the files of Google News have
/// none
std::string word2vec_binary_bytes(const Words& words, const Matrix& vectors, bool line_ends);
std::string gzip_bytes(const std::string& bytes);

/// Vectors whose numbers are short in decimals, and as many words of different lengths.
Matrix short_numbers(Index words, Index dimension);
Words distinct_words(Index count);

}  // namespace bzscr::test
