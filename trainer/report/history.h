#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// From the history of a run, as bzscr-train --history writes it, to a page.
///
/// A history is one JSON object a line. `phase` says which:
///
///   settings    program, resumed, settings: what was asked for, and on what data
///   tuning      a point of the grid: nu, beta, validation_error, weak_models, evaluations,
///   seconds; of another method:
///               validation_error, seconds, and its own parameters by name, once for each fold of
///               classes
///   validation  an iteration of the run that holds classes out, and
///   training    one of the run on all seen classes: iteration (from 1), nu, beta, samples (N of
///   this run), violation
///               (sigma_1(G)), objective, lower_bound (sums over samples), relative_gap,
///               weak_models, selected (share of samples), training_error, validation_error,
///               test_error (of the unseen classes; averaged per class, null where not measured),
///               evaluations (passes over the samples), seconds
///   result      result: what bzscr-train --json prints; unseen: null, or samples, error_rate,
///   mean_delta,
///               per_class_top1, classes (names), confusion (counts; rows: true class)
///
/// After a resumed run's settings, iterations and points that come again take the place of the
/// earlier ones; after settings of a run that begins anew, all before them is another run, and
/// forgotten.
namespace bzscr::report {

/// What is shown of settings, in their order: "share_growth" and "1.1".
using Fields = std::vector<std::pair<std::string, std::string>>;

struct GridPoint {
  double nu = 0, beta = 0;
  double validation_error = 1;
  std::int64_t weak_models = 0;
};

/// What another method than boosting tried.
struct TriedSetting {
  std::vector<std::pair<std::string, double>>
      parameters;               ///< "rate" and 0.1, in the order of the history
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

struct Unseen {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>>
      confusion;  ///< by place in `classes`: true class, best class
  std::int64_t samples = 0;
  double error_rate = 0, mean_delta = 0, per_class_top1 = 0;
};

struct Result {
  Fields fields;
  double validation_error = -1;  ///< -1: not measured
  double seconds = 0;
  std::int64_t weak_models = 0, samples = 0, model_bytes = 0;
  // Of boosting alone
  std::optional<double> nu, beta, relative_gap;
  std::string ending;
};

struct Run {
  std::string name;  ///< as read_history was given it
  std::string program;
  bool resumed = false;
  Fields settings;
  std::vector<GridPoint> tuning;                ///< by beta, then falling nu
  std::vector<TriedSetting> tried;              ///< in the order of the history
  std::vector<Iteration> validation, training;  ///< by number
  std::optional<Result> result;                 ///< nothing: the run has not ended
  std::optional<Unseen> unseen;
  std::string note;  ///< a sentence on what was left out; may be empty

  /// A setting as shown; empty: not there.
  std::string setting(const std::string& key) const;
};

/// Reads and checks a history. A last line without its end that is no JSON (a run was killed while
/// writing) is left out and noted. Throws InputError, "name:line: ...", on the first thing wrong.
Run read_history(const std::string& text, const std::string& name);

}  // namespace bzscr::report
