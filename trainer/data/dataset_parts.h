#pragma once

#include "data/dataset.h"
#include "data/formats/number_array.h"
#include "types/linalg.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bzscr {

/// A part of a data set and where it stands, for sentences about it.
template <class T>
struct Part {
  T value;
  std::string where;  ///< "awa/labels.npy", "awa/res101.mat: labels"
  std::string name;   ///< "labels.npy", "labels"
};

struct EmbeddingPart {
  std::string name;  ///< "hypernyms"
  std::string where;
  Matrix values;  ///< C x d
  std::optional<Matrix>
      unscaled{};  ///< the same as someone wrote it down, where -1 may mean "missing"
};

/// What the files of a data set hold, whatever their format: counted from 0, but not yet checked
/// against one another. dataset.cpp makes a Dataset of it.
struct DatasetParts {
  Part<std::vector<std::string>> class_names;  ///< of at_least_two(), as class_files.h checks them
  Part<Labels> labels;                         ///< of class_rows()
  std::optional<Part<std::vector<Index>>> unseen_classes;
  std::vector<Part<std::vector<Index>>> validation_folds;
  std::optional<Part<std::vector<Index>>> test_seen;  ///< of sample_rows()
  std::vector<EmbeddingPart> embeddings;              ///< those asked for, in that order
  std::optional<NumberArray> divergence;
  Part<std::vector<SynsetId>> synsets;  ///< empty: none are named
  /// N x m, in one piece or several, one below the other; may take long, so it is called last.
  std::function<std::vector<NumberArray>()> read_features;
  bool mapped = true;  ///< features lie in files: their pages may be released; else in memory
  std::vector<std::string> notes;
};

/// Checks the parts against one another. Throws InputError on the first thing wrong.
/// \param name  of the whole, for messages
Dataset assemble_dataset(const std::string& name, DatasetParts parts,
                         const DatasetOptions& options);

// What readers share

/// Throws InputError for fewer than two names.
Part<std::vector<std::string>> at_least_two(Part<std::vector<std::string>> class_names);

/// Checked labels, from 0.
/// \param first  what the file counts from: 0 or 1
Labels class_rows(const Part<std::vector<std::int64_t>>& labels, std::int64_t first,
                  const Part<std::vector<std::string>>& classes);

/// Checked rows of samples, from 0 and rising.
/// \param features_name  whose rows they are: "features.npy"
std::vector<Index> sample_rows(const Part<std::vector<std::int64_t>>& rows, std::int64_t first,
                               std::size_t samples, const std::string& features_name);

/// Throws InputError where the array has not this many rows, and says so where it has as many
/// columns.
/// \param because   "labels.npy has 48 labels"
/// \param expected  "(48, m)"
void expect_rows(const NumberArray& array, Index rows, const std::string& because,
                 const std::string& expected);

/// "glove", "hypernyms" for "glove,hypernyms".
std::vector<std::string> split_at_commas(const std::string& text);

/// Those of the embeddings there are that `options` asks for. Throws InputError for others.
/// \param where    what holds them
/// \param usual    taken where none is asked for; empty: the only one there is
std::vector<std::string> choose_embeddings(const std::string& where,
                                           std::vector<std::string> available,
                                           const DatasetOptions& options,
                                           const std::string& usual = "");

}  // namespace bzscr
