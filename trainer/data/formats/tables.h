#pragma once

#include "data/formats/class_files.h"
#include "data/formats/label_file.h"
#include "data/formats/number_array.h"
#include "types/linalg.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bzscr {

// The tables (table_file.h) of a data set.

/// features.csv: a column `class` of names, or `label` of rows of the classes from 0; the other
/// columns are the features, converted to float32.
struct FeatureTable {
  std::optional<LabelRows> labels;  ///< empty: there is no such column
  NumberArray features;
  std::vector<std::string> columns;  ///< names of the features
  std::vector<std::string> notes;
};
/// \param has_labels  whether the labels are elsewhere, so that the column may be missing
FeatureTable read_feature_table(const std::string& path, const ClassRows& classes, bool has_labels);

/// labels.csv: one column, `class` or `label`.
LabelRows read_label_table(const std::string& path, const ClassRows& classes);

/// embeddings/NAME.csv: a column `class` of unique names; the other columns are the embedding.
struct EmbeddingTable {
  std::vector<PlacedName> names;
  std::vector<std::string> columns;  ///< names of the columns of `values`, unique
  Matrix values;
  std::vector<std::string> notes;
};
EmbeddingTable read_embedding_table(const std::string& path);

/// The rows of a table in the order of the classes, C x d. Throws InputError unless it has one row
/// per class.
Matrix in_order_of(const EmbeddingTable& table, const std::string& path, const ClassRows& classes,
                   const std::vector<std::string>& class_names);

/// test_seen.csv: one column `sample`, of whole numbers.
std::vector<std::int64_t> read_number_table(const std::string& path);

}  // namespace bzscr
