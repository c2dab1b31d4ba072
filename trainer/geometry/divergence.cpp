#include "geometry/divergence.h"

#include "data/wordnet/class_synsets.h"
#include "data/wordnet/wordnet_files.h"
#include "geometry/wordnet.h"

#include <algorithm>

namespace bzscr {
namespace {

Divergence wordnet_divergence(const Dataset& data, const std::string& folder) {
  Divergence divergence;
  const WordNetNouns nouns(wordnet_folder(folder));
  const std::vector<SynsetId> synsets = class_synsets(data, nouns, divergence.notes);
  divergence.Delta = path_divergence(shortest_paths(nouns, synsets));
  divergence.name = "wordnet";
  return divergence;
}

}  // namespace

Matrix cosine_divergence(const Matrix& embeddings, const std::vector<Index>& parts) {
  Matrix unit = embeddings;
  Index begin = 0;
  for (const Index d : parts.empty() ? std::vector<Index>{embeddings.cols()} : parts) {
    unit.middleCols(begin, d).rowwise().normalize();
    begin += d;
  }
  const double count = parts.empty() ? 1.0 : static_cast<double>(parts.size());
  Matrix away = (1.0 - (unit * unit.transpose()).array() / count).cwiseMax(0.0);
  away.diagonal().setZero();
  const double widest = away.maxCoeff();
  if (widest > 0) away /= widest;
  return away;
}

Matrix path_divergence(const Matrix& SPath) { return 1.0 - (SPath.array() + 1.0).inverse(); }

Matrix zero_one_divergence(Index classes) {
  return Matrix::Ones(classes, classes) - Matrix::Identity(classes, classes);
}

const std::vector<std::string>& divergence_words() {
  static const std::vector<std::string> words = {"cosine", "wordnet", "zero-one"};
  return words;
}

std::string divergence_file(const std::string& asked) {
  const std::vector<std::string>& words = divergence_words();
  return std::find(words.begin(), words.end(), asked) == words.end() ? asked : "";
}

Divergence divergence_of(const Dataset& data, const std::string& asked,
                         const std::string& wordnet) {
  if (asked == "cosine" || (asked.empty() && !data.divergence))
    return {cosine_divergence(data.embeddings, data.embedding_parts), "cosine", {}};
  if (asked == "wordnet") return wordnet_divergence(data, wordnet);
  if (asked == "zero-one")
    return {zero_one_divergence(static_cast<Index>(data.class_names.size())), "zero-one", {}};
  return {
      *data.divergence, asked.empty() ? "divergence.npy" : asked.substr(asked.rfind('/') + 1), {}};
}

}  // namespace bzscr
