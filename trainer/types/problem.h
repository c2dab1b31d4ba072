#pragma once

#include "types/ensemble.h"
#include "types/execution.h"
#include "types/features.h"
#include "types/linalg.h"

#include <memory>
#include <vector>

namespace bzscr {

/// Standardised columns: (x_j - mean_j) factor_j replaces x_j.
struct ColumnScaling {
  VectorF mean;    ///< m
  VectorF factor;  ///< m: 1 / standard deviation; 0 for a constant column
};

/// A selection of rows of a feature matrix: x_i = scale[i] * features.row(rows[i]) - centre, with
/// standardised columns if there is a column scaling.
struct Samples {
  FeatureView features;
  std::vector<Index> rows;              ///< N, ascending
  Vector scale;                         ///< N, > 0: 1 / |x| for unit length, or 1
  Execution execution{};                ///< how passes over them run
  std::shared_ptr<const void> owner{};  ///< keeps mapped features alive; null: the caller does
  Vector centre{};                      ///< m: the mean of the training samples; empty: none
  std::shared_ptr<const ColumnScaling> columns{};  ///< null: columns as they are

  Index size() const { return static_cast<Index>(rows.size()); }
  Index dimension() const { return features.columns; }
};

/// The input of the solvers: the paper's X, y, phi and Delta. Seen classes come first, target
/// (unseen) classes after them.
struct Problem {
  Samples X;       ///< N x m
  Labels y;        ///< N, in [0, seen)
  Matrix Phi;      ///< C x p: embeddings, scaled, centred and reduced to their span
  Matrix Delta;    ///< seen x C: Delta(y, r), in [0, 1], 0 where r = y
  Index seen = 0;  ///< C_S
  /// W0, from which boosting starts: every score is that of W0 + W. It is fixed, and no penalty
  /// counts it. Without columns: W0 = 0.
  Factors base{};

  Index samples() const { return X.size(); }
  Index classes() const { return Phi.rows(); }
  Index targets() const { return classes() - seen; }
};

/// Samples of held-out classes, to be scored among these classes only.
struct EvaluationSet {
  Samples X;
  Labels y;    ///< rows of Phi
  Matrix Phi;  ///< V x p, in the coordinates of the training problem's Phi
};

}  // namespace bzscr
