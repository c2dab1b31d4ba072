#pragma once

#include "base/json.h"
#include "train/options.h"

#include <bzscr_train/bzscr_train.hpp>

#include <string>

namespace bzscr::cli {

/// A finished training, for its summaries.
struct TrainedRun {
  const TrainOptions& options;
  const train::Dataset& data;
  const train::Model& model;
  double seconds;      ///< of the program
  int ranks, threads;  ///< threads of each rank
};

/// What --json prints, and the last line of a history holds.
Json summary_json(const TrainedRun& run);
/// The last line of a history.
Json result_line(const TrainedRun& run);
std::string summary_text(const TrainedRun& run);

/// A plan as a table for people, or as one JSON object.
std::string plan_text(const train::Plan& plan);
Json plan_json(const train::Plan& plan);

}  // namespace bzscr::cli
