#pragma once

#include "types/features.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr {

/// What feature_notes() looks at.
struct FeatureFacts {
  const std::string& where;  ///< the file of the features, for messages
  const FeatureView& features;
  const Vector& norms;                            ///< N: length of each row
  const Labels& labels;                           ///< N
  const std::vector<std::string>& class_names;    ///< C
  const std::vector<std::string>& feature_names;  ///< m; empty: columns have numbers only
};

/// The column that carries nearly all of the squared length of the rows on average, and its share;
/// -1 if there is none.
struct LongColumn {
  Index column = -1;
  double share = 0.0;
};
LongColumn long_column(const Matrix& rows);

/// Notes on features that are valid but hardly meant: identical samples of different classes,
/// columns of one value, and a column that carries nearly all of the length of the samples. The
/// cost is about a hundredth of a pass over the features: of more than a million values, rows are
/// sampled for columns, and only so many rows of equal length are compared.
struct FeatureNotes {
  std::vector<std::string> notes;
  LongColumn longest;  ///< of the features
};
FeatureNotes feature_notes(const FeatureFacts& facts);

/// The share as text, rounded down so that it never becomes 100: "99.9".
std::string percent(double share);

}  // namespace bzscr
