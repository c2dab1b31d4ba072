#pragma once

#include <bzscr_train/bzscr_train.hpp>

#include <optional>
#include <string>

namespace bzscr::cli {

/// What the command line of bzscr-train says.
struct TrainOptions {
  std::string data, output, report;
  train::ReadOptions read;
  train::FitOptions fit;
  int threads = 0;    ///< 0: one a core
  bool plan = false;  ///< predict what training would cost, and train nothing
  bool json = false, quiet = false;
};

/// Parses and checks. A value is the code to exit with at once.
std::optional<int> parse_train_options(int argc, char** argv, TrainOptions& options);

}  // namespace bzscr::cli
