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

/// The state of fit(): the results of its finished phases, and the state of the current one.
struct RunState {
  enum class Phase { kTuning, kValidation, kTraining, kCalibration };
  Phase phase = Phase::kTuning;
  // Results of finished phases
  Parameters parameters;
  bool tuned = false;
  double validation_error = -1;
  Index max_iterations = 0;
  Index evaluations = 0;
  std::vector<Trial> tried;
  std::optional<Trained> trained;      ///< on all seen classes
  std::vector<FoldOutcomes> outcomes;  ///< of finished calibration folds
  // State of the current phase: of the search or of the solver
  Resumption current;
};

/// The checkpoint file of a run: CBOR (the run's options, the hash of its data set, its state),
/// followed by the XXH3-128 of the CBOR bytes. It is written atomically and the file before it is
/// kept as FILE.previous, so that one of the two is valid at any time. Rank 0 reads and writes.
class Checkpoint {
 public:
  using Note = std::function<void(const std::string&)>;

  /// An empty file name in the options turns checkpoints off. Throws InputError if a file of one of
  /// the two names is no checkpoint, which nothing here replaces or removes, or if there is a
  /// checkpoint and the run does not resume.
  Checkpoint(const Settings& settings, const Dataset& data, Communicator& communicator, Note note);
  ~Checkpoint();

  /// The newest state that rank 0 can read; empty if there is no file. Reports a note, and removes
  /// damaged files. Throws InputError if a file belongs to another run or all files are damaged.
  std::optional<RunState> read();

  /// Whether checkpoint_seconds have passed since the last write().
  bool due() const;
  /// Never throws because of the file: a full disk must not end the training. Reports a note then.
  void write(const RunState& state);

 private:
  /// The newest readable state, as CBOR; empty: no file.
  std::vector<std::uint8_t> newest() const;

  std::string file_, previous_;
  double every_;
  Communicator& communicator_;
  Note note_;
  std::unique_ptr<nlohmann::json> identity_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace bzscr::train
