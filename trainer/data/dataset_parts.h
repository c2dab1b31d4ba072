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

/// A part of a data set, and its place for error messages.
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
  /// The values before the scaling of the file, where -1 may mean "missing"; empty: `values`.
  std::optional<Matrix> unscaled{};
  std::vector<std::string> columns{};  ///< names, of a table; else empty
};

/// The parts of a data set in any format. Indices start from 0. Each part is valid in itself; that
/// the parts agree is checked by assemble_dataset().
struct DatasetParts {
  Part<std::vector<std::string>> class_names;  ///< of at_least_two(), as class_files.h checks them
  Part<Labels> labels;                         ///< of class_rows()
  bool labels_by_name = false;                 ///< names cannot count from another number
  std::optional<Part<std::vector<Index>>> unseen_classes;
  std::vector<Part<std::vector<Index>>> validation_folds;
  std::optional<Part<std::vector<Index>>> test_seen;  ///< of sample_rows()
  std::vector<EmbeddingPart> embeddings;              ///< the requested ones, in that order
  std::optional<NumberArray> divergence;
  Part<std::vector<SynsetId>> synsets;  ///< empty: not given
  /// Returns the features, N x m, in one or more arrays of consecutive rows. It may take long and
  /// is therefore called last.
  std::function<std::vector<NumberArray>()> read_features;
  std::vector<std::string> feature_names;  ///< m, of a table; empty: columns have numbers only
  bool mapped = true;  ///< features are in mapped files, so their pages may be released
  std::vector<std::string> notes;
};

/// Checks that the parts agree, and makes a data set of them. Throws InputError for the first error
/// found.
/// \param name  of the data set, for messages
Dataset assemble_dataset(const std::string& name, DatasetParts parts,
                         const DatasetOptions& options);

// Functions common to the readers of formats

/// Throws InputError for fewer than two names.
Part<std::vector<std::string>> at_least_two(Part<std::vector<std::string>> class_names);

/// Checks labels and returns them counted from 0.
/// \param first  lowest label of the file: 0 or 1
Labels class_rows(const Part<std::vector<std::int64_t>>& labels, std::int64_t first,
                  const Part<std::vector<std::string>>& classes);

/// Checks rows of samples and returns them counted from 0, ascending.
/// \param first          lowest row number of the file: 0 or 1
/// \param samples        N
/// \param features_name  the matrix to which the rows refer: "features.npy"
std::vector<Index> sample_rows(const Part<std::vector<std::int64_t>>& rows, std::int64_t first,
                               std::size_t samples, const std::string& features_name);

/// Throws InputError unless the matrix has `rows` rows, with a hint if it looks transposed.
/// \param because   "labels.npy has 48 labels"
/// \param expected  "(48, m)"
void expect_rows(const NumberArray& array, Index rows, const std::string& because,
                 const std::string& expected);

/// "glove", "hypernyms" for "glove,hypernyms".
std::vector<std::string> split_at_commas(const std::string& text);

/// The names of the embeddings that `options` requests. Throws InputError for unknown ones.
/// \param where  the folder or file that holds them
/// \param usual  default; empty: the only one
std::vector<std::string> choose_embeddings(const std::string& where,
                                           std::vector<std::string> available,
                                           const DatasetOptions& options,
                                           const std::string& usual = "");

}  // namespace bzscr
