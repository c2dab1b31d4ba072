#pragma once

#include "baselines/methods.h"
#include "geometry/split_problem.h"
#include "solver/config.h"

#include <bzscr_train/bzscr_train.hpp>

#include <optional>
#include <string>
#include <vector>

namespace bzscr::train {

/// The trainer's name in records, the same from every language and program.
constexpr const char* kProgram = "bzscr-train " BZSCR_VERSION;

enum class Solver { kRefine, kPaper };

/// The samples on which errors are measured by iteration.
enum class Curves {
  kNone,
  kValidation,  ///< training samples, and validation classes in a run that holds them out
  kTest,        ///< and the unseen classes; no choice depends on them
};

/// Checked FitOptions, as the types of solver, baselines and geometry.
struct Settings {
  FitOptions asked;
  Solver solver = Solver::kRefine;
  Curves curves = Curves::kNone;
  Scalings scalings;
  BoostConfig boost;                 ///< nu and beta where they are given
  std::optional<Baseline> baseline;  ///< empty: bzscr or boosting, as boost.select_samples says

  /// A hyper-parameter of a baseline by name: rate, epochs, gamma, lambda; empty: to be chosen.
  std::optional<double> hyper_parameter(const std::string& name) const;
};

const char* name_of(ScoreForm form);

/// The options with "auto" replaced by what it means for the data set.
FitOptions settled(FitOptions options, const bzscr::Dataset& data);

/// Checks the options. Throws InputError with the option's name for a value out of range, an
/// unknown word (with the nearest known one), or an option that the method or its solver does not
/// have.
/// \param given  as for check()
Settings checked(const FitOptions& options, const std::vector<std::string>& given = {});

}  // namespace bzscr::train
