#pragma once

#include "boost/config.h"
#include "geometry/split_problem.h"

#include <cstdint>
#include <optional>
#include <string>

namespace bzscr {

enum class Solver { kRefine, kPaper };

/// What the command line says.
struct TrainOptions {
  std::string data;
  std::string output;
  std::string embedding;                 ///< empty: the only one there is
  std::string divergence;                ///< empty: divergence.npy where the folder has it, else cosine
  Scalings scalings;
  Solver solver = Solver::kRefine;
  BoostConfig boost;
  std::optional<double> nu, beta;        ///< empty: chosen on validation classes
  bool early_stopping = true;            ///< of --solver paper
  Index folds = 1;
  std::uint64_t seed = 1;
  int threads = 0;                       ///< 0: one per core
  std::string history;                   ///< empty: none
  bool json = false;
  bool quiet = false;

  /// The file that --divergence names; empty where it is a word.
  std::string divergence_file() const { return divergence == "cosine" || divergence == "zero-one" ? "" : divergence; }
};

/// Parses and checks. Throws InputError; prints and exits with 0 for --help and --version.
TrainOptions parse_options(int argc, char** argv);

}  // namespace bzscr
