#pragma once

#include "baselines/methods.h"
#include "core/metrics.h"
#include "data/dataset.h"
#include "geometry/split_problem.h"
#include "pipeline/options.h"
#include "tuning/calibration.h"
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

/// What a method has learned of a problem, in the coordinates of the problem's Phi.
struct LearnedModel {
  Ensemble ensemble{};                   ///< bilinear methods: what a model file holds; else empty
  std::optional<Trained> trained{};      ///< BZ-SCR and boosting: certificate, and how it ended
  std::optional<BaselineModel> other{};  ///< methods that no model file can hold
  bool stopped = false;                  ///< before the end: the best so far, maybe nothing

  /// N x C scores of samples among classes with these embeddings. For evaluation.
  MatrixF scores(const Samples& X, const Matrix& Phi) const;
};

/// Told of hyper-parameters that were tried, beside what the solvers tell.
class EstimatorObserver : public TuningObserver {
 public:
  virtual void tried(const Trial&, Index /*done*/, Index /*at_most*/) {}
};

/// Where a solver begins that a checkpoint had stopped.
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
  kCalibration,  ///< to choose the penalty of seen classes: a looser certified gap will do
};

/// One method: it chooses hyper-parameters that it was not given on validation folds, and learns.
class Estimator {
 public:
  virtual ~Estimator() = default;
  virtual Origin origin() const = 0;
  virtual bool must_choose() const = 0;  ///< some hyper-parameter is not given
  /// \param stopped  set where a stop ended the search: the choice is then the best so far, and
  ///   there is a model unless it is empty
  virtual Choice choose(const bzscr::Dataset& data, const bzscr::Partition& partition,
                        const Matrix& Delta, const Execution& execution, TuningState from,
                        EstimatorObserver& observer,
                        std::optional<StoppedSearch>& stopped) const = 0;
  /// Learned from scratch, or from where a checkpoint has it.
  /// \param validation      early stopping of Algorithm 1 looks at its errors; null: none
  /// \param max_iterations  of BZ-SCR and boosting
  virtual LearnedModel learn(const Problem& problem, const Parameters& parameters, Purpose purpose,
                             const EvaluationSet* validation, Index max_iterations,
                             const Resumption& from, EstimatorObserver& observer) const = 0;
};

/// \param correlation  there are two unseen classes or more, so that the term is no constant
std::unique_ptr<Estimator> make_estimator(const Settings& settings, bool correlation);

/// The penalty of seen classes with the highest harmonic mean over the validation folds, each trained
/// once more without some classes and samples. Empty where a stop came before.
/// \param outcomes  of folds that are done already: these are not trained again
/// \param begin     told of each fold's problem before it is trained
std::optional<ChosenPenalty> calibrate(const Estimator& estimator, const bzscr::Dataset& data,
                                       const bzscr::Partition& partition, const Matrix& Delta,
                                       const Settings& settings, const Parameters& parameters,
                                       Index max_iterations, const Execution& execution,
                                       Resumption& from,
                                       std::vector<std::vector<JointOutcome>>& outcomes,
                                       EstimatorObserver& observer,
                                       const std::function<void(const Problem&)>& begin,
                                       const std::function<void(const LearnedModel&)>& learned);

}  // namespace bzscr::train
