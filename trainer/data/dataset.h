#pragma once

#include "base/mapped_file.h"
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

/// The content of a data set. It has been checked: shapes agree, values are finite, labels are in
/// range, names are unique.
struct Dataset {
  std::string folder;  ///< path as given: a folder or an archive

  std::shared_ptr<const void> features_owner;  ///< keeps the mapping behind `features` alive
  FeatureView features;                        ///< N x m, all samples of the file
  std::vector<FileState> mapped_files;         ///< behind `features`, to notice that one changes
  std::vector<std::string> feature_names;      ///< m, unique; empty: a table has them, no array
  Vector feature_norms;                        ///< N: Euclidean length of each row, > 0
  bool one_long_column = false;                ///< that carries nearly all of that length
  Labels labels;                               ///< N: row of class_names

  std::vector<std::string> class_names;  ///< C, unique, not empty
  std::string embedding_name;            ///< "hypernyms", or "glove,hypernyms" for several
  Matrix embeddings;  ///< C x d, not scaled; several are concatenated; no part of a row is all zero
  std::vector<Index> embedding_parts;  ///< d of each of several embeddings; empty: there is one
  std::vector<std::string> embedding_columns;  ///< d; empty unless all embeddings are tables

  Partition partition;               ///< as the files define it
  std::optional<Matrix> divergence;  ///< C x C in [0, 1], zero diagonal, from a file
  std::vector<SynsetId> synsets;     ///< C ids of WordNet 3.0; empty: not given
  /// The place of the synsets, also if they are missing: "zoo/synsets.txt", "zoo.npz: synsets".
  std::string synsets_where;

  /// XXH3-128 of the content above, without the paths.
  std::array<std::uint8_t, 16> hash{};
  std::vector<std::string> notes;  ///< warnings, one line each
};

/// Treatment of missing values of an embedding: -1 where no other value is negative.
enum class MissingValues : std::uint8_t {
  kRefuse,  ///< throws InputError
  kMean,    ///< the mean over the classes for which the value is known
  kZero,
  kKeep,  ///< -1 is an ordinary value
};

/// The values by name: keep, mean, refuse, zero.
const std::map<std::string, MissingValues>& missing_value_words();

struct DatasetOptions {
  std::string embedding{};        ///< names separated by commas; empty: the only one
  std::string divergence_file{};  ///< replaces the data set's own divergence; empty: none
  MissingValues missing = MissingValues::kRefuse;
  Execution execution{};        ///< threads and ranks that read the features
  bool all_embeddings = false;  ///< if `embedding` is empty: all of them in order of name
};

/// Throws InputError if a file of features became shorter or was written to while it was mapped.
/// Call it between passes over the features, and before what they computed is used.
void expect_whole_features(const Dataset& data);

/// A description of the data set formats, for help texts.
extern const char* const kDatasetHelp;

/// Reads and checks a data set: a folder (dataset_folder.h), also of MATLAB files (xlsa17.h), or an
/// archive (npz.h). Features stay mapped. Throws InputError for the first error found.
Dataset read_dataset(const std::string& path, const DatasetOptions& options);

/// The sizes of a split, and a hash of it that does not depend on features or embeddings. The
/// hashes of two splits differ if the splits differ.
struct Split {
  std::size_t seen_classes = 0, unseen_classes = 0;
  std::size_t training_samples = 0;   ///< of seen classes
  std::size_t test_seen_samples = 0;  ///< of seen classes, never trained on
  std::size_t unseen_samples = 0;
  /// XXH3-128 of class names, labels, unseen classes and held-out samples.
  std::array<std::uint8_t, 16> hash{};
};
Split split_of(const Dataset& data);
/// "split 0123...: 150 seen and 50 unseen classes; samples: 7057 to train on, ..."
std::string describe(const Split& split);

}  // namespace bzscr
