#pragma once

#include "baselines/methods.h"
#include "geometry/split_problem.h"
#include "solver/config.h"

#include <cstdint>
#include <optional>
#include <string>

namespace bzscr {

enum class Solver { kRefine, kPaper };

/// Whose errors a history holds by iteration, beside what the solver tells of itself anyway.
enum class Curves {
  kNone,
  kValidation,  ///< training samples, and validation classes in a run that holds them out
  kTest,        ///< and the unseen classes; nothing is chosen by them
};

/// What the command line says.
struct TrainOptions {
  std::string data;
  std::string output;
  std::string embedding;  ///< names with commas between; empty: the only one there is
  MissingValues missing = MissingValues::kRefuse;
  std::string divergence;  ///< empty: divergence.npy where the folder has it, else cosine
  std::string wordnet;     ///< folder of WordNet's database files; empty: where they usually are
  Scalings scalings;
  Solver solver = Solver::kRefine;
  BoostConfig boost;
  std::optional<Baseline> baseline;  ///< empty: bzscr or boosting, as boost.select_samples says
  std::optional<double> rate, epochs, gamma,
      lambda;                      ///< of the baseline; empty: chosen on validation classes
  bool average = false;            ///< of the baseline
  std::optional<double> nu, beta;  ///< empty: chosen on validation classes
  bool early_stopping = true;      ///< of --solver paper
  Index folds = 1;
  std::uint64_t seed = 1;
  bool calibration = true;             ///< choose the penalty of seen classes
  int threads = 0;                     ///< 0: one per core
  std::string history;                 ///< empty: none
  std::string report;                  ///< empty: none
  std::optional<Curves> asked_curves;  ///< empty: validation where there is a report, else none
  std::string checkpoint;              ///< empty: none
  double every = 60;                   ///< seconds between checkpoints
  bool resume = false;
  bool plan = false;  ///< say what training would cost, and train nothing
  bool json = false;
  bool quiet = false;

  /// Of the baseline, by its name there; empty: chosen.
  std::optional<double> hyper_parameter(const std::string& name) const {
    return name == "rate" ? rate : name == "epochs" ? epochs : name == "gamma" ? gamma : lambda;
  }
  bool reported() const { return !history.empty() || !report.empty(); }
  Curves curves() const {
    return asked_curves.value_or(report.empty() ? Curves::kNone : Curves::kValidation);
  }
};

/// Parses and checks. A value is the code to exit with at once: 0 after --help or --version, 2
/// after one sentence on standard error. Throws InputError for values out of range.
std::optional<int> parse_options(int argc, char** argv, TrainOptions& options);

}  // namespace bzscr
