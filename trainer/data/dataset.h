#pragma once

#include "data/partition.h"
#include "data/wordnet/synset_id.h"
#include "types/execution.h"
#include "types/features.h"
#include "types/linalg.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bzscr {

/// What the files of a data set say, checked once. Everything after it may trust it: shapes agree,
/// values are finite, labels are in range, names are unique.
struct Dataset {
  std::string folder;  ///< as given; of an archive, the file

  std::shared_ptr<const void> features_owner;  ///< keeps the mapping behind `features` alive
  FeatureView features;                        ///< N x m, all samples of the file
  Vector feature_norms;                        ///< N: Euclidean length of each row, > 0
  Labels labels;                               ///< N: row of class_names

  std::vector<std::string> class_names;  ///< C, unique, not empty
  std::string embedding_name;            ///< "hypernyms"; of several joined "glove,hypernyms"
  Matrix embeddings;  ///< C x d, as given, joined side by side; no row of one is all zero
  std::vector<Index> embedding_parts;  ///< d of each of them; empty: there is one

  Partition partition;               ///< which class and sample plays which part, by the files
  std::optional<Matrix> divergence;  ///< C x C in [0, 1], zero diagonal, from a file
  std::vector<SynsetId> synsets;  ///< C, as WordNet 3.0 numbers them; empty if no file names them
  std::string
      synsets_where;  ///< "zoo/synsets.txt", "zoo.npz: synsets": where they are, or would be

  std::array<std::uint8_t, 16>
      hash{};                      ///< XXH3-128 of all of the above but where it stands, as read
  std::vector<std::string> notes;  ///< sentences: allowed, but maybe not what was meant
};

/// What becomes of an embedding's values that are not known: -1 where no other value is negative.
enum class MissingValues : std::uint8_t {
  kRefuse,
  kMean,  ///< the mean over the classes of which the value is known
  kZero,
  kKeep,  ///< -1 is a number like any other
};

/// The words that name them: keep, mean, refuse, zero.
const std::map<std::string, MissingValues>& missing_value_words();

struct DatasetOptions {
  std::string embedding{};  ///< names with commas between; may be empty where there is only one
  std::string divergence_file{};  ///< read in place of the data set's own; may be empty
  MissingValues missing = MissingValues::kRefuse;
  Execution execution{};        ///< how features are gone through
  bool all_embeddings = false;  ///< where `embedding` is empty, by name
};

/// What a data set may be, for the end of a program's --help.
extern const char* const kDatasetHelp;

/// Reads and checks a data set: a folder (dataset_folder.h), also of MATLAB files (xlsa17.h), or an
/// archive (npz.h). Features stay mapped. Throws InputError, one sentence, on the first thing
/// wrong.
Dataset read_dataset(const std::string& path, const DatasetOptions& options);

/// How the samples are split, and a hash of it that does not depend on features or embeddings: two
/// files of the "same" split can be told apart.
struct Split {
  std::size_t seen_classes = 0, unseen_classes = 0;
  std::size_t training_samples = 0;   ///< of seen classes
  std::size_t test_seen_samples = 0;  ///< of seen classes, never trained on
  std::size_t unseen_samples = 0;
  std::array<std::uint8_t, 16>
      hash{};  ///< XXH3-128 of class names, labels, unseen classes and held-out samples
};
Split split_of(const Dataset& data);
/// "split 0123...: 150 seen and 50 unseen classes; samples: 7057 to train on, ..."
std::string describe(const Split& split);

}  // namespace bzscr
