#include "cli/training.h"

#include "export/describe_model.h"
#include "types/errors.h"

#include <fmt/format.h>

#include <chrono>

namespace bzscr {
namespace {

const char* word(Solver solver) { return solver == Solver::kPaper ? "paper" : "refine"; }

/// One phase after another on the same data set, adding up what they cost. What the solvers tell goes to
/// the log; where they stand, with what the phases before came to, to the checkpoint.
class Run : public TuningObserver {
 public:
  Run(const Dataset& data, const Divergence& divergence, const TrainOptions& options, ProgressLog& log, Checkpoint& checkpoint)
      : data_(data), divergence_(divergence), options_(options), log_(log), checkpoint_(checkpoint), config_(options.boost) {
    // Fewer than two target classes have no covariance: the term would be a constant.
    result_.correlation = data.unseen_classes.size() >= 2;
    at_.nu = options.nu.value_or(0);
    at_.beta = result_.correlation ? options.beta.value_or(0) : 0;
    at_.max_iterations = options.boost.max_iterations;
  }

  TrainingResult operator()() {
    const auto start = std::chrono::steady_clock::now();
    if (options_.resume)
      if (auto resumed = checkpoint_.read()) at_ = std::move(*resumed);
    if (at_.phase == RunState::Phase::kTuning) choose_hyper_parameters();
    if (at_.phase == RunState::Phase::kValidation) choose_iterations();
    if (at_.phase == RunState::Phase::kTraining) train_on_all_seen_classes();
    log_.end();
    result_.tried = at_.tried;
    result_.evaluations = at_.evaluations;
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

  void iteration(const Iteration& one) override { log_.iteration(one); }
  void progress(double fraction) override { log_.progress(fraction); }
  void grid_point(const GridPoint& point, Index done, Index at_most) override { log_.grid_point(point, done, at_most); }
  bool stop_requested() const override { return log_.stop_requested(); }
  void state(const RefinedState& here) override { keep_up([&] { at_.refined = here; }); }
  void state(const PrintedState& here) override { keep_up([&] { at_.printed = here; }); }
  void state(const TuningState& here) override { keep_up([&] { at_.tuning = here; }); }

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
      TuningConfig tuning{options_.boost, options_.nu, beta_known ? std::optional<double>(at_.beta) : std::nullopt,
                          options_.scalings, options_.folds, options_.seed};
      log_.begin("tuning", 0, 0, 1);
      Tuned tuned = tune(data_, divergence_.Delta, tuning, *this, std::move(at_.tuning));
      for (const GridPoint& point : tuned.tried) at_.evaluations += point.evaluations;
      at_.tuning.clear();
      at_.tried = std::move(tuned.tried);
      at_.nu = tuned.best.nu;
      at_.beta = tuned.best.beta;
      at_.validation_error = tuned.best.validation_error;
      if (tuned.interrupted) {
        if (at_.tried.empty()) throw InputError("interrupted before there was a model; nothing written");
        return stop_with(tuned.split, std::move(tuned.trained));
      }
    }
    const bool choose_iterations = options_.solver == Solver::kPaper && options_.early_stopping;
    at_.phase = choose_iterations ? RunState::Phase::kValidation : RunState::Phase::kTraining;
  }

  // Algorithm 1 stops on the validation error. Its number of iterations is chosen as nu and beta are:
  // on held-out classes, and then used on all seen ones.
  void choose_iterations() {
    use_choices();
    const ClassSplit held_out = validation_splits(data_, 1, options_.seed).front();
    SplitProblem split = split_problem(data_, divergence_.Delta, held_out, options_.scalings);
    const Validation validation = validation_of(data_, split, options_.scalings);
    log_.begin("validation", at_.nu, at_.beta, split.problem.samples());
    Trained trained = boost(split.problem, &validation, config_, printed_beginning(split.problem), *this);
    at_.printed.reset();
    at_.evaluations += trained.evaluations;
    at_.validation_error = trained.validation_error;
    at_.max_iterations = trained.iterations;
    if (trained.ending == Ending::kInterrupted) return stop_with(split, std::move(trained));
    at_.phase = RunState::Phase::kTraining;
  }

  void train_on_all_seen_classes() {
    use_choices();
    const SplitProblem split =
        split_problem(data_, divergence_.Delta, {seen_classes(data_), data_.unseen_classes}, options_.scalings);
    const Problem& problem = split.problem;
    log_.begin("training", at_.nu, at_.beta, problem.samples());
    Trained trained = options_.solver == Solver::kPaper
                          ? boost(problem, nullptr, config_, printed_beginning(problem), *this)
                          : boost_refined(problem, feature_spectrum(problem.X), config_,
                                          at_.refined ? *at_.refined : fresh_start(problem, config_), *this);
    at_.evaluations += trained.evaluations;
    keep(split, std::move(trained));
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
      if (trained.ending == Ending::kInterrupted) throw InputError("interrupted before there was a model; nothing written");
      throw InputError(fmt::format("nu {} is above the worth of any weak model, so the model would be empty; expected a smaller --nu",
                                   config_.nu));
    }
    result_.ending = trained.ending;
    ModelFile& model = result_.model;
    model = describe_run(data_, divergence_, options_, split);
    TrainingRecord& record = model.record;
    record.method = config_.select_samples ? "bzscr" : "boosting";
    record.solver = word(options_.solver);
    record.nu = config_.nu;
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
  ProgressLog& log_;
  Checkpoint& checkpoint_;
  BoostConfig config_;  // as asked for, then as chosen
  RunState at_;
  TrainingResult result_;
};

}  // namespace

ModelFile describe_run(const Dataset& data, const Divergence& divergence, const TrainOptions& options, const SplitProblem& split) {
  ModelFile model = describe_model(data, options.scalings.features, options.scalings.embeddings, split.transform.centre);
  model.record.program = "bzscr-train " BZSCR_VERSION;
  model.record.divergence = divergence.name;
  model.record.samples = static_cast<std::uint64_t>(split.problem.samples());
  model.record.seed = options.seed;
  return model;
}

TrainingResult train(const Dataset& data, const Divergence& divergence, const TrainOptions& options, ProgressLog& log,
                     Checkpoint& checkpoint) {
  return Run(data, divergence, options, log, checkpoint)();
}

}  // namespace bzscr
