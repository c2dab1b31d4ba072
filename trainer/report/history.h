#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Reader of the history of a run.
///
/// A history has one JSON object per line. Its member `phase` names the kind of line:
///
///   settings     program, resumed, settings: options and data set
///   tuning       a point of the grid: nu, beta, validation_error, weak_models, evaluations,
///   seconds.
///                For methods other than BZ-SCR and boosting: validation_error, seconds, and the
///                parameters of the method by name, once per fold of classes
///   validation   an iteration of the run with held-out validation classes
///   training     an iteration of the run on all seen classes
///                Both: iteration (from 1), nu, beta, samples (N of this run), violation
///                (sigma_1(G)), objective, lower_bound (sums over samples), relative_gap,
///                weak_models, selected (share of samples), training_error, validation_error,
///                test_error (of the unseen classes), evaluations (passes over the samples),
///                seconds. Errors are averaged per class; null: not measured
///   calibration  an iteration of a run for the penalty of seen classes, with the same members; it
///                is not shown
///   result       result: the summary of the run, with the list "taught" of shots and accuracy of a
///                model that can be taught; unseen: null, or samples, error_rate, mean_delta,
///                per_class_top1, classes (names), confusion (counts; rows: true class), and where
///                samples of seen classes were held out: gzsl_seen, gzsl_unseen, gzsl_harmonic, the
///                same with the ending _calibrated (with the penalty of seen classes), ausuc
///
/// After the settings of a resumed run, repeated iterations and points replace the earlier ones.
/// The settings of a run that is not resumed discard all lines before them.
namespace bzscr::report {

/// Settings to show, in their order: "share_growth" and "1.1".
using Fields = std::vector<std::pair<std::string, std::string>>;

struct GridPoint {
  double nu = 0, beta = 0;
  double validation_error = 1;
  std::int64_t weak_models = 0;
};

/// A setting that was tried, of a method other than BZ-SCR and boosting.
struct TriedSetting {
  /// "rate" and 0.1, in the order of the history.
  std::vector<std::pair<std::string, double>> parameters;
  double validation_error = 1;  ///< averaged over the folds
  std::int64_t folds = 1;
};

struct Iteration {
  std::int64_t number = 0;
  double objective = 0, lower_bound = 0;  ///< per sample
  double relative_gap = 0;
  std::int64_t weak_models = 0;
  double selected = 1;
  double training_error = -1, validation_error = -1, test_error = -1;  ///< -1: not measured
};

/// Accuracy per class of seen and of unseen classes, and the harmonic mean.
struct SeenUnseen {
  double seen = 0, unseen = 0, harmonic = 0;
};

struct Unseen {
  std::vector<std::string> classes;
  /// Counts by true class and predicted class, as indices of `classes`.
  std::vector<std::vector<std::int64_t>> confusion;
  std::int64_t samples = 0;
  double error_rate = 0, mean_delta = 0, per_class_top1 = 0;
  /// Where seen and unseen classes compete, without and with the penalty; empty: not measured.
  std::optional<SeenUnseen> joint, calibrated;
};

struct Result {
  Fields fields;
  double validation_error = -1;  ///< -1: not measured
  double seconds = 0;
  std::int64_t weak_models = 0, samples = 0, model_bytes = 0;
  // Of BZ-SCR and boosting only
  std::optional<double> nu, beta, relative_gap;
  std::string ending;
  /// Accuracy of validation classes among all classes, by the number of labelled samples of each
  /// that were taught; empty: the model cannot be taught.
  std::vector<std::pair<std::int64_t, double>> taught;
};

struct Run {
  std::string name;  ///< argument of read_history()
  std::string program;
  bool resumed = false;
  Fields settings;
  std::vector<GridPoint> tuning;                ///< by beta, then descending nu
  std::vector<TriedSetting> tried;              ///< in the order of the history
  std::vector<Iteration> validation, training;  ///< by number
  std::optional<Result> result;                 ///< empty: the run has not ended
  std::optional<Unseen> unseen;
  std::string note;  ///< a warning about a line that was left out; empty: none

  /// The text of a setting; empty if there is none.
  std::string setting(const std::string& key) const;
};

/// Reads and checks a history. An incomplete last line that is not JSON (the run was killed while
/// writing) is left out and noted. Throws InputError, "name:line: ...", for the first error found.
Run read_history(const std::string& text, const std::string& name);

}  // namespace bzscr::report
