#pragma once

#include "core/metrics.h"
#include "pipeline/dataset.h"
#include "pipeline/estimator.h"
#include "pipeline/options.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bzscr::train {

/// Where fit() stands: what its finished phases came to, and where this one is.
struct RunState {
  enum class Phase { kTuning, kValidation, kTraining, kCalibration };
  Phase phase = Phase::kTuning;
  // Of finished phases
  Parameters parameters;
  bool tuned = false;
  double validation_error = -1;
  Index max_iterations = 0;
  Index evaluations = 0;
  std::vector<Trial> tried;
  std::optional<Trained> trained;                   ///< on all seen classes
  std::vector<std::vector<JointOutcome>> outcomes;  ///< of finished folds of the calibration
  // Of this one: whichever solver or search is at work
  Resumption current;
};

/// The checkpoint file of a run: CBOR (states of the run, the options and the data set it belongs
/// to) and the XXH3-128 of that. Written by write_file_atomically, the file before it kept as
/// FILE.previous, so that at any moment one of the two is whole. Rank 0 reads and writes.
class Checkpoint {
 public:
  using Note = std::function<void(const std::string&)>;

  /// A file name that is empty in the options turns everything off.
  Checkpoint(const Settings& settings, const Dataset& data, Communicator& communicator, Note note);
  ~Checkpoint();

  /// The last state that rank 0 can read; notes what it found, and removes what is damaged. Nothing
  /// where there is no file. Throws InputError where the files belong to another run or neither is
  /// whole.
  std::optional<RunState> read();

  /// Time for another one.
  bool due() const;
  /// Never throws for the file's sake: a full disk must not end the training; it is noted.
  void write(const RunState& state);

 private:
  /// The state that read() is about, as CBOR; empty: no file.
  std::vector<std::uint8_t> newest() const;

  std::string file_, previous_;
  double every_;
  Communicator& communicator_;
  Note note_;
  std::unique_ptr<nlohmann::json> identity_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace bzscr::train
