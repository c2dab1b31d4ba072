#pragma once

#include "cli/options.h"
#include "core/metrics.h"
#include "data/dataset.h"
#include "tuning/tune.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bzscr {

/// Where a whole run of bzscr-train stands: what its finished phases came to, and the state of this
/// one.
struct RunState {
  enum class Phase { kTuning, kValidation, kTraining, kCalibration };
  Phase phase = Phase::kTuning;
  // Of finished phases
  double nu = 0, beta = 0, validation_error = -1;
  Index max_iterations = 0;
  Index evaluations = 0;
  std::vector<GridPoint> tried;
  std::optional<Trained> trained;                   ///< on all seen classes
  std::vector<std::vector<JointOutcome>> outcomes;  ///< of finished folds of the calibration
  // Of this one: whichever solver or tuning is at work
  TuningState tuning;
  std::optional<RefinedState> refined;
  std::optional<PrintedState> printed;
};

/// The checkpoint file of a run: CBOR (states of the run, the options and the data set it belongs
/// to) and the XXH3-128 of that. Written by write_file_atomically, the file before it kept as
/// FILE.previous, so that at any moment one of the two is whole.
class Checkpoint {
 public:
  /// A file name that is empty in the options turns everything off.
  Checkpoint(const TrainOptions& options, const Dataset& data);
  ~Checkpoint();

  /// The last state that process 0 can read; says on standard error what it found, and removes what
  /// is damaged. Nothing where there is no file. Throws InputError where the files belong to
  /// another run or neither is whole.
  std::optional<RunState> read();

  /// Time for another one, which process 0 writes.
  bool due() const;
  /// Never throws: a full disk must not end the training. Says on standard error what went wrong.
  void write(const RunState& state);
  void remove();

 private:
  /// The state that read() is about, as CBOR; empty: no file.
  std::vector<std::uint8_t> newest() const;

  std::string file_, previous_;
  double every_;
  std::unique_ptr<nlohmann::json> identity_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace bzscr
