#pragma once

#include "dataset_files.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bzscr::test {

struct TestSynset {
  std::string key;                 ///< identifies the synset in the test
  std::vector<std::string> words;  ///< spelled as in index.noun and data.noun: "polar_bear"
  /// Keys of the hypernyms. A key after "i:" is an instance hypernym.
  std::vector<std::string> hypernyms;
  std::string gloss = "a gloss";
};

/// data.noun and index.noun of a small WordNet in a temporary folder, written according to the
/// manual (man 5 wndb). Like the real files they begin with a licence and have other pointers
/// beside the hypernyms.
class WordNetFolder : public TemporaryFolder {
 public:
  explicit WordNetFolder(const std::vector<TestSynset>& synsets);

  /// Offset of the synset's line in data.noun.
  std::uint32_t id(const std::string& key) const { return ids_.at(key); }
  std::string text(const std::string& key) const;  ///< the id as text: "n00000123"

 private:
  std::map<std::string, std::uint32_t> ids_;
};

/// Animals. "bat" has several senses; the only sense of "seal" is not an animal. Each class of
/// DataFolder, from ant to hen, has exactly one sense.
std::vector<TestSynset> animals();

}  // namespace bzscr::test
