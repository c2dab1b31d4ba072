#pragma once

#include "baselines/methods.h"
#include "core/metrics.h"
#include "data/dataset.h"
#include "export/model_writer.h"
#include "geometry/split_problem.h"
#include "pipeline/options.h"
#include "tuning/calibration.h"
#include "tuning/teaching.h"
#include "tuning/tune.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bzscr::train {

using Parameters = std::vector<std::pair<std::string, double>>;

/// "nu 0.001, beta 0.4"
std::string words_of(const Parameters& parameters);

/// A model that a method has learned, in the coordinates of the problem's Phi.
struct LearnedModel {
  Ensemble ensemble{};  ///< of bilinear methods, for a model file, with the base; else empty
  std::optional<Trained> trained{};      ///< BZ-SCR and boosting: certificate and ending
  std::optional<BaselineModel> other{};  ///< of methods that are not bilinear
  ScoreForm form = ScoreForm::kPlain;    ///< of the scores of the ensemble
  /// Of teaching_directions(), for a model that can be taught; empty: it cannot.
  std::optional<Matrix> directions{};
  bool stopped = false;  ///< early: the best model so far, which may be empty

  /// Scores of N samples among C classes with the embeddings Phi (C x p): N x C. For evaluation.
  MatrixF scores(const Samples& X, const Matrix& Phi) const;
};

/// The mean over the classes Phi of the length of their rows, by which scores grow.
double mean_row_length(const LearnedModel& learned, const Matrix& Phi);

/// Sets the ensemble of a model file, the form of its scores, own parts and offsets.
void set_ensemble(const SplitProblem& split, const LearnedModel& learned, ModelFile& file);

/// The callbacks of the solvers, and one per trial of hyper-parameters.
class EstimatorObserver : public TuningObserver {
 public:
  virtual void tried(const Trial&, Index /*done*/, Index /*at_most*/) {}
};

/// The state from which a search or a solver resumes; empty members: from the beginning.
struct Resumption {
  TuningState tuning{};
  std::optional<RefinedState> refined{};
  std::optional<PrintedState> printed{};
};

/// Hyper-parameters, given or chosen.
struct Choice {
  Parameters parameters{};
  bool tuned = false;
  double validation_error = -1;  ///< of the best; -1: not measured
  std::vector<Trial> tried{};
  Index evaluations = 0;
};

/// The best model of a search that was stopped, and the problem it was trained on.
struct StoppedSearch {
  SplitProblem split;
  LearnedModel learned;
};

enum class Purpose {
  kModel,
  kCalibration,  ///< to choose the penalty of seen classes, with a larger certified gap
};

/// A method: chooses the hyper-parameters that are not given on validation folds, and trains.
class Estimator {
 public:
  virtual ~Estimator() = default;
  virtual bool must_choose() const = 0;  ///< some hyper-parameter is not given
  /// The training problem of a class split as this method takes it.
  virtual SplitProblem split(const bzscr::Dataset& data, const bzscr::Partition& partition,
                             const Matrix& Delta, const ClassSplit& classes,
                             const Execution& execution) const = 0;
  /// Chooses hyper-parameters on validation folds.
  /// \param from     state of an interrupted search
  /// \param stopped  output: set if a stop ended the search. The choice is then the best so far;
  ///   without any trial it is empty.
  virtual Choice choose(const bzscr::Dataset& data, const bzscr::Partition& partition,
                        const Matrix& Delta, const Execution& execution, TuningState from,
                        EstimatorObserver& observer,
                        std::optional<StoppedSearch>& stopped) const = 0;
  /// Trains a model.
  /// \param validation      for early stopping of Algorithm 1; null: none
  /// \param max_iterations  of BZ-SCR and boosting, >= 1
  /// \param from            state of a checkpoint; empty: from the beginning
  virtual LearnedModel learn(const Problem& problem, const Parameters& parameters, Purpose purpose,
                             const EvaluationSet* validation, Index max_iterations,
                             const Resumption& from, EstimatorObserver& observer) const = 0;
};

/// The ensemble of a model file from what BZ-SCR or boosting has learned: with the base, and with
/// orthonormal U unless the form of the score is plain.
Ensemble model_ensemble(const Problem& problem, const Ensemble& learned, const Settings& settings);

/// \param correlation  there are two or more unseen classes; with fewer the correlation term is
///   constant and is left out
std::unique_ptr<Estimator> make_estimator(const Settings& settings, bool correlation);

/// The outcomes of a calibration fold: of joint_test(), and of taught_outcomes() if the model can be
/// taught.
struct FoldOutcomes {
  std::vector<JointOutcome> joint;
  std::vector<std::vector<JointOutcome>> taught;
};

struct Calibration {
  ChosenPenalty penalty;
  std::optional<Teaching> teaching;  ///< empty: the model cannot be taught
};

/// The penalty of seen classes with the highest harmonic mean over the validation folds, and the
/// rule of teaching. A model is trained for each fold without its validation classes and some
/// held-out samples. Empty after a stop.
/// \param outcomes  of finished folds, which are not trained again; the new ones are appended
/// \param begin     called with the problem of each fold before it is trained
/// \param learned   called with the model of each fold
std::optional<Calibration> calibrate(const Estimator& estimator, const bzscr::Dataset& data,
                                     const bzscr::Partition& partition, const Matrix& Delta,
                                     const Settings& settings, const Parameters& parameters,
                                     Index max_iterations, const Execution& execution,
                                     Resumption& from, std::vector<FoldOutcomes>& outcomes,
                                     EstimatorObserver& observer,
                                     const std::function<void(const Problem&)>& begin,
                                     const std::function<void(const LearnedModel&)>& learned);

}  // namespace bzscr::train
