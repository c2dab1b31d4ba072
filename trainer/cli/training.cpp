#include "cli/training.h"

#include "bzscr_train/error.hpp"
#include "comm/communicator.h"
#include "core/metrics.h"
#include "core/refinement.h"
#include "export/describe_model.h"
#include "solver/validation_error.h"
#include "tuning/calibration.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace bzscr {
namespace {

/// What a history's errors by iteration are measured on.
struct Measured {
  std::optional<EvaluationSet> training, validation, test;

  IterationErrors errors(const Iteration& one, const Ensemble& ensemble) const {
    const auto error = [&](const std::optional<EvaluationSet>& on) {
      return on ? validation_error(*on, ensemble) : -1;
    };
    return {error(training), one.validation_error >= 0 ? one.validation_error : error(validation),
            error(test)};
  }
};

/// The samples of a training problem, scored among the classes that they are of.
EvaluationSet training_samples(const Problem& problem) {
  return {problem.X, problem.y, problem.Phi.topRows(problem.seen)};
}

constexpr double kCalibrationGap =
    5e-3;  // certified; a tighter one hardly moves scores against one another

const char* word(Solver solver) { return solver == Solver::kPaper ? "paper" : "refine"; }

/// One phase after another on the same data set, adding up what they cost. What the solvers tell
/// goes to the log; where they stand, with what the phases before came to, to the checkpoint.
class Run : public TuningObserver {
 public:
  Run(const Dataset& data, const Divergence& divergence, const TrainOptions& options,
      History& history, ProgressLog& log, Checkpoint& checkpoint)
      : data_(data),
        divergence_(divergence),
        options_(options),
        history_(history),
        log_(log),
        checkpoint_(checkpoint),
        config_(options.boost) {
    // Fewer than two target classes have no covariance: the term would be a constant.
    result_.correlation = data.partition.unseen.size() >= 2;
    at_.nu = options.nu.value_or(0);
    at_.beta = result_.correlation ? options.beta.value_or(0) : 0;
    at_.max_iterations = options.boost.max_iterations;
  }

  TrainingResult operator()() {
    const auto start = std::chrono::steady_clock::now();
    std::optional<RunState> resumed = options_.resume ? checkpoint_.read() : std::nullopt;
    history_.add(settings_line(options_, data_, divergence_, resumed.has_value()));
    if (resumed) at_ = std::move(*resumed);
    if (at_.phase == RunState::Phase::kTuning) choose_hyper_parameters();
    if (at_.phase == RunState::Phase::kValidation) hold_classes_out();
    if (at_.phase == RunState::Phase::kTraining) train_on_all_seen_classes();
    if (at_.phase == RunState::Phase::kCalibration) calibrate();
    log_.end();
    result_.tried = at_.tried;
    result_.evaluations = at_.evaluations;
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

  void iteration(const Iteration& one, const Ensemble& ensemble) override {
    log_.iteration(one, measured_.errors(one, ensemble));
  }
  void progress(double fraction) override { log_.progress(fraction); }
  void grid_point(const GridPoint& point, Index done, Index at_most) override {
    log_.grid_point(point, done, at_most);
  }
  bool stop_requested() const override { return stop_agreed(); }
  void state(const RefinedState& here) override {
    keep_up([&] { at_.refined = here; });
  }
  void state(const PrintedState& here) override {
    keep_up([&] { at_.printed = here; });
  }
  void state(const TuningState& here) override {
    keep_up([&] { at_.tuning = here; });
  }

 private:
  template <class Set>
  void keep_up(Set set) {
    if (!checkpoint_.due()) return;
    set();
    checkpoint_.write(at_);
  }

  void choose_hyper_parameters() {
    const bool beta_known = options_.beta || !result_.correlation;
    if (!options_.nu || !beta_known) {
      TuningConfig tuning{options_.boost,
                          options_.nu,
                          beta_known ? std::optional<double>(at_.beta) : std::nullopt,
                          options_.scalings,
                          options_.folds,
                          options_.seed};
      log_.begin("tuning", 0, 0, 1);
      Tuned tuned = tune(data_, data_.partition, divergence_.Delta, tuning, *this, std::move(at_.tuning));
      for (const GridPoint& point : tuned.tried) at_.evaluations += point.evaluations;
      at_.tuning.clear();
      at_.tried = std::move(tuned.tried);
      at_.nu = tuned.best.nu;
      at_.beta = tuned.best.beta;
      at_.validation_error = tuned.best.validation_error;
      if (tuned.interrupted) {
        if (at_.tried.empty())
          throw InputError("interrupted before there was a model; nothing written");
        return stop_with(tuned.split, std::move(tuned.trained));
      }
    }
    at_.phase = iterations_are_chosen() || curves() ? RunState::Phase::kValidation
                                                    : RunState::Phase::kTraining;
  }

  bool iterations_are_chosen() const {
    return options_.solver == Solver::kPaper && options_.early_stopping;
  }
  bool curves() const { return options_.curves() != Curves::kNone; }

  // Algorithm 1 stops on the validation error. Its number of iterations is chosen as nu and beta
  // are: on held-out classes, and then used on all seen ones. Without that, the run is for its
  // learning curves.
  void hold_classes_out() {
    use_choices();
    ClassSplit held_out;
    try {
      held_out = validation_splits(data_, data_.partition, 1, options_.seed).front();
    } catch (const InputError& too_few) {
      if (iterations_are_chosen()) throw;
      log_.note(fmt::format("no errors on validation classes by iteration: {}", too_few.what()));
      at_.phase = RunState::Phase::kTraining;
      return;
    }
    const SplitProblem split = split_problem(data_, data_.partition, divergence_.Delta, held_out, options_.scalings);
    const Problem& problem = split.problem;
    const EvaluationSet validation = unseen_evaluation_set(data_, data_.partition, split, options_.scalings);
    log_.begin("validation", at_.nu, at_.beta, problem.samples());
    if (curves()) measured_ = {training_samples(problem), validation, std::nullopt};
    Trained trained = solve(problem, config_, &validation);
    measured_ = {};
    if (iterations_are_chosen()) {
      at_.validation_error = trained.validation_error;
      at_.max_iterations = trained.iterations;
    }
    if (trained.ending == Ending::kInterrupted) return stop_with(split, std::move(trained));
    at_.phase = RunState::Phase::kTraining;
  }

  void train_on_all_seen_classes() {
    use_choices();
    const SplitProblem split = split_problem(
        data_, divergence_.Delta, {seen_classes(data_, data_.partition), data_.partition.unseen}, options_.scalings);
    const Problem& problem = split.problem;
    log_.begin("training", at_.nu, at_.beta, problem.samples());
    if (curves()) measured_.training = training_samples(problem);
    if (options_.curves() == Curves::kTest) {
      EvaluationSet test = unseen_evaluation_set(data_, data_.partition, split, options_.scalings);
      if (test.X.size() > 0) measured_.test = std::move(test);
    }
    Trained trained = solve(problem, config_, nullptr);
    measured_ = {};
    keep(split, trained);
    test_on_unseen(split, trained.ensemble);
    if (trained.ending == Ending::kInterrupted || !options_.calibration || !can_hold_out(data_, data_.partition))
      return;
    at_.trained = std::move(trained);
    at_.phase = RunState::Phase::kCalibration;
  }

  // The one training that is going on, from its beginning or where a checkpoint has it.
  Trained solve(const Problem& problem, const BoostConfig& config,
                const EvaluationSet* validation) {
    Trained trained =
        options_.solver == Solver::kPaper
            ? boost(problem, validation, config, printed_beginning(problem), *this)
            : boost_refined(problem, feature_spectrum(problem.X), config,
                            at_.refined ? *at_.refined : fresh_start(problem, config), *this);
    at_.evaluations += trained.evaluations;
    at_.refined.reset();
    at_.printed.reset();
    return trained;
  }

  void test_on_unseen(const SplitProblem& split, const Ensemble& ensemble) {
    if (options_.reported())
      result_.unseen = test_unseen(data_, divergence_, options_, split, ensemble);
  }

  // The model is trained, and stands in at_. What it would do where unseen classes compete with
  // seen ones is learned from models that were trained without some classes and samples.
  void calibrate() {
    if (result_.model.classes.empty()) restore_trained();
    BoostConfig config = config_;
    config.gap = std::max(config.gap, kCalibrationGap);
    const std::vector<ClassSplit> folds = validation_splits(data_, data_.partition, options_.folds, options_.seed);
    while (at_.outcomes.size() < folds.size()) {
      const CalibrationFold fold = calibration_fold(
          data_, divergence_.Delta, folds[at_.outcomes.size()], options_.scalings, options_.seed);
      log_.begin("calibration", at_.nu, at_.beta, fold.split.problem.samples());
      const Trained trained = solve(fold.split.problem, config, nullptr);
      if (trained.ending == Ending::kInterrupted) {
        result_.ending = Ending::kInterrupted;
        return;
      }
      at_.outcomes.push_back(held_out_outcomes(fold, trained.ensemble));
    }
    const ChosenPenalty chosen = choose_penalty(at_.outcomes);
    if (chosen.harmonic == 0) return;  // nothing was held out of one kind, or never told right
    result_.model.seen_penalty = chosen.penalty;
    result_.model.record.validation_harmonic = chosen.harmonic;
  }

  void restore_trained() {
    use_choices();
    const SplitProblem split = split_problem(
        data_, divergence_.Delta, {seen_classes(data_, data_.partition), data_.partition.unseen}, options_.scalings);
    keep(split, *at_.trained);
    test_on_unseen(split, at_.trained->ensemble);
  }

  PrintedState printed_beginning(const Problem& problem) const {
    return at_.printed ? *at_.printed : printed_start(problem, Vector::Ones(problem.samples()));
  }

  void use_choices() {
    config_.nu = at_.nu;
    config_.beta = at_.beta;
    config_.max_iterations = at_.max_iterations;
  }

  // Interrupted while validation classes are held out: the best so far is what there is.
  void stop_with(const SplitProblem& split, Trained trained) {
    use_choices();
    keep(split, std::move(trained));
    result_.ending = Ending::kInterrupted;
    result_.without_validation_classes = true;
  }

  void keep(const SplitProblem& split, Trained trained) {
    if (trained.ensemble.w.size() == 0) {
      if (trained.ending == Ending::kInterrupted)
        throw InputError("interrupted before there was a model; nothing written");
      throw InputError(
          fmt::format("nu {} is above the worth of any weak model, so the model would be empty; "
                      "expected a smaller --nu",
                      config_.nu));
    }
    result_.ending = trained.ending;
    ModelFile& model = result_.model;
    model = describe_run(data_, divergence_, options_, split);
    TrainingRecord& record = model.record;
    record.method = config_.select_samples ? "bzscr" : "boosting";
    record.solver = word(options_.solver);
    record.nu = config_.nu;
    record.ridge = config_.ridge;
    record.beta = config_.beta;
    record.objective = trained.certificate.objective;
    record.lower_bound = trained.certificate.lower_bound;
    record.relative_gap = trained.certificate.relative_gap();
    record.final_share = trained.selected;
    record.iterations = static_cast<std::uint32_t>(trained.iterations);
    record.tuned = !at_.tried.empty();
    record.validation_error = at_.validation_error;
    model.ensemble = split.lift(std::move(trained.ensemble));
  }

  const Dataset& data_;
  const Divergence& divergence_;
  const TrainOptions& options_;
  History& history_;
  ProgressLog& log_;
  Checkpoint& checkpoint_;
  BoostConfig config_;  // as asked for, then as chosen
  RunState at_;
  Measured measured_;
  TrainingResult result_;
};

}  // namespace

ModelFile describe_run(const Dataset& data, const Divergence& divergence,
                       const TrainOptions& options, const SplitProblem& split) {
  ModelFile model = describe_model(data, data.partition, options.scalings.features, options.scalings.embeddings,
                                   split.transform.centre);
  model.record.program = "bzscr-train " BZSCR_VERSION;
  model.record.divergence = divergence.name;
  model.record.samples = static_cast<std::uint64_t>(split.problem.samples());
  model.record.seed = options.seed;
  return model;
}

std::optional<UnseenTest> test_unseen(const Dataset& data, const Divergence& divergence,
                                      const TrainOptions& options, const SplitProblem& split,
                                      const Ensemble& ensemble) {
  const EvaluationSet test = unseen_evaluation_set(data, data.partition, split, options.scalings);
  if (test.X.size() == 0) return std::nullopt;
  const std::vector<Index>& classes = split.classes.targets;
  const Factors at = factors(ensemble);
  const Labels predicted = Sweep<float>::predict(test.X, test.Phi, at.A, at.B);
  const auto C = static_cast<Index>(classes.size());
  return UnseenTest{classes,
                    confusion_matrix(test.y, predicted, C),
                    test.X.size(),
                    error_rate(test.y, predicted),
                    mean_delta(test.y, predicted, divergence.Delta(classes, classes)),
                    per_class_accuracy(count_by_class(test.y, predicted, C))};
}

TrainingResult train(const Dataset& data, const Divergence& divergence, const TrainOptions& options,
                     History& history, ProgressLog& log, Checkpoint& checkpoint) {
  return Run(data, divergence, options, history, log, checkpoint)();
}

}  // namespace bzscr
