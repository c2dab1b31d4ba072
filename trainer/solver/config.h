#pragma once

#include "types/linalg.h"
#include "types/scaling.h"

#include <string>

namespace bzscr {

/// The default ridge of refinement. It was chosen on one data set and confirmed on three others
/// (see DESIGN.md). It is not chosen per data set, because there are too few validation classes to
/// compare ridges.
constexpr double kDefaultRidge = 0.01;

/// The parameters of training one model. The defaults suit a first run.
struct BoostConfig {
  // Objective, Eq. (5), per sample: nu / N and beta / N in the paper's tables.
  double nu = 1e-3;   ///< regularisation weight of the ensemble; > 0
  double ridge = 0;   ///< weight of |W|_F^2 / 2; >= 0; refinement only, 0 in the paper
  double beta = 0.4;  ///< weight of the semantic correlation term; >= 0, 0 turns it off
  /// How models are scored where their validation error is measured.
  ScoreForm score = ScoreForm::kPlain;
  bool base = false;  ///< W0 is that of solver/base.h, not 0; refinement only, false in the paper

  // Sample selection, Eq. (8), annealed by the share of selected samples
  bool select_samples = true;  ///< false: s = 1, the boosting-only method
  double initial_share = 0.5;  ///< in (0, 1]
  double share_growth = 1.1;   ///< mu; > 1
  double final_share = 1.0;    ///< lambda_max as a share; in [initial_share, 1]
  double full_share = 0.8;     ///< share of the selected samples that have s_i = 1; in [0, 1)

  // Stopping
  double gap = 1e-3;           ///< certified relative gap at which refinement ends; in (0, 1)
  double tolerance = 1e-3;     ///< epsilon: relative excess of sum_ir Q (h - h) over nu; >= 0
  Index min_iterations = 50;   ///< T_ES: no early stopping before; >= 1
  Index max_iterations = 500;  ///< >= 1

  /// Empty if all values are valid; otherwise an error message with the field, its value and range.
  std::string validate() const;
};

}  // namespace bzscr
