#pragma once

#include "dataset_files.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bzscr::test {

struct TestSynset {
  std::string key;                 ///< what the test calls it
  std::vector<std::string> words;  ///< as index.noun and data.noun spell them: "polar_bear"
  std::vector<std::string>
      hypernyms;  ///< keys; one that begins with "i:" is what this is an instance of
  std::string gloss = "a gloss";
};

/// data.noun and index.noun of a small WordNet in a temporary folder, written by the manual's
/// description of the format (man 5 wndb): with a licence, and with other pointers beside the
/// hypernyms, as the real ones have them.
class WordNetFolder : public TemporaryFolder {
 public:
  explicit WordNetFolder(const std::vector<TestSynset>& synsets);

  std::uint32_t id(const std::string& key) const {
    return ids_.at(key);
  }                                                ///< where its line begins in data.noun
  std::string text(const std::string& key) const;  ///< "n00000123"

 private:
  std::map<std::string, std::uint32_t> ids_;
};

/// Animals, some with several senses: bat, and seal, whose sense is not an animal. An ant to a hen
/// as in DataFolder each have one.
std::vector<TestSynset> animals();

}  // namespace bzscr::test
