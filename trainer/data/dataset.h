#pragma once

#include "data/synset_id.h"
#include "types/features.h"
#include "types/linalg.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bzscr {

/// What the files of a data set folder say, checked once. Everything after it may trust it:
/// shapes agree, values are finite, labels are in range, names are unique.
struct Dataset {
  std::string folder;

  std::shared_ptr<const void> features_owner;  ///< keeps the mapping behind `features` alive
  FeatureView features;                        ///< N x m, all samples of the file
  Vector feature_norms;                        ///< N: Euclidean length of each row, > 0
  Labels labels;                               ///< N: row of class_names

  std::vector<std::string> class_names;        ///< C, unique, not empty
  std::string embedding_name;                  ///< "hypernyms"
  Matrix embeddings;                           ///< C x d, as given; no row is all zero

  std::vector<Index> unseen_classes;           ///< rising; may be empty: all classes are seen
  std::vector<Index> validation_classes;       ///< rising; seen classes; empty if the folder names none
  std::vector<Index> test_seen_rows;           ///< rising; samples of seen classes never trained on
  std::optional<Matrix> divergence;            ///< C x C in [0, 1], zero diagonal, from a file
  std::vector<SynsetId> synsets;               ///< C, as WordNet 3.0 numbers them; empty if no file names them

  std::array<std::uint8_t, 16> hash{};         ///< XXH3-128 of all of the above but `folder`, as read
  std::vector<std::string> notes;              ///< sentences: allowed, but maybe not what was meant
};

struct DatasetOptions {
  std::string embedding{};        ///< file name without .npy; may be empty where there is only one
  std::string divergence_file{};  ///< read in place of the folder's divergence.npy; may be empty
};

/// Reads and checks a data set folder (features.npy, labels.npy, classes.txt, embeddings/NAME.npy and
/// the optional files). Features stay mapped. Throws InputError, one sentence, on the first thing wrong.
Dataset read_dataset(const std::string& folder, const DatasetOptions& options);

/// Where the file of that name stands, or would.
std::string file_in(const std::string& folder, const std::string& name);

/// All classes that the data set does not call unseen, rising.
std::vector<Index> seen_classes(const Dataset& data);

}  // namespace bzscr
