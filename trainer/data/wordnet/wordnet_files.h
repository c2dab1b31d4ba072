#pragma once

#include "base/mapped_file.h"
#include "data/wordnet/synset_id.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// The folder of WordNet's database files: the one given; where that is empty, WNSEARCHDIR of the
/// environment, or where Debian's package wordnet-base puts them.
std::string wordnet_folder(const std::string& given);

struct Synset {
  std::vector<SynsetId> hypernyms;  ///< one step up; of an instance, what it is an instance of
  std::string definition;           ///< the gloss without its examples
};

/// data.noun of a WordNet 3.0 database, mapped: lines are parsed as they are asked for, and
/// distrusted.
class WordNetNouns {
 public:
  /// Throws InputError if the folder has no such file.
  explicit WordNetNouns(const std::string& folder);

  const std::string& folder() const { return folder_; }
  const std::string& path() const { return path_; }
  bool has(SynsetId id) const;  ///< a synset begins there
  /// Throws InputError, naming the synset, where none begins or its line is malformed.
  Synset synset(SynsetId id) const;

 private:
  std::string folder_, path_;
  MappedFile file_;
};

/// index.noun of the same: which synsets a noun may mean.
class NounIndex {
 public:
  /// Reads all of it. Throws InputError with the line that is malformed.
  explicit NounIndex(const std::string& folder);

  /// Usual senses first; empty for what is no noun. The spelling does not matter (name_forms.h).
  std::vector<SynsetId> senses(const std::string& name) const;
  /// "; did you mean 'otter'?", or empty.
  std::string did_you_mean(const std::string& name) const;

 private:
  std::map<std::string, std::vector<SynsetId>> senses_;  // by folded name
};

}  // namespace bzscr
