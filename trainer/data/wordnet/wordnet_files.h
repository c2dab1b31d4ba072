#pragma once

#include "base/mapped_file.h"
#include "data/wordnet/synset_id.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// The folder of WordNet's database files: `given`, or if it is empty the environment variable
/// WNSEARCHDIR, or else the folder of Debian's package wordnet-base.
std::string wordnet_folder(const std::string& given);

struct Synset {
  std::vector<SynsetId> hypernyms;  ///< direct ones; for an instance, its classes
  std::string definition;           ///< the gloss without its examples
};

/// The mapped file data.noun of a WordNet 3.0 database. Lines are parsed and validated on access.
class WordNetNouns {
 public:
  /// Throws InputError if the folder has no such file.
  explicit WordNetNouns(const std::string& folder);

  const std::string& folder() const { return folder_; }
  const std::string& path() const { return path_; }
  bool has(SynsetId id) const;  ///< whether a synset starts at this offset
  /// Throws InputError with the id if there is no such synset or its line is malformed.
  Synset synset(SynsetId id) const;

 private:
  std::string folder_, path_;
  MappedFile file_;
};

/// The file index.noun of the database: the synsets of each noun.
class NounIndex {
 public:
  /// Reads the file. Throws InputError with the line if one is malformed.
  explicit NounIndex(const std::string& folder);

  /// The senses of a noun, the most frequent first; empty for an unknown noun. Names are compared
  /// in their normal form (name_forms.h).
  std::vector<SynsetId> senses(const std::string& name) const;
  /// "; did you mean 'otter'?", or empty.
  std::string did_you_mean(const std::string& name) const;

 private:
  std::map<std::string, std::vector<SynsetId>> senses_;  // by folded name
};

}  // namespace bzscr
