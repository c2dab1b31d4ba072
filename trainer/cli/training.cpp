#include "cli/training.h"

#include "types/errors.h"

#include <fmt/format.h>

#include <chrono>

namespace bzscr {
namespace {

const char* word(Solver solver) { return solver == Solver::kPaper ? "paper" : "refine"; }

/// One run after another on the same data set, adding up what they cost.
class Run {
 public:
  Run(const Dataset& data, const Divergence& divergence, const TrainOptions& options, ProgressLog& log)
      : data_(data), divergence_(divergence), options_(options), log_(log), config_(options.boost) {
    // Fewer than two target classes have no covariance: the term would be a constant.
    result_.correlation = data.unseen_classes.size() >= 2;
  }

  TrainingResult operator()() {
    const auto start = std::chrono::steady_clock::now();
    choose_hyper_parameters();
    if (!result_.without_validation_classes && options_.solver == Solver::kPaper && options_.early_stopping) choose_iterations();
    if (!result_.without_validation_classes) train_on_all_seen_classes();
    log_.end();
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  void choose_hyper_parameters() {
    config_.nu = options_.nu.value_or(0);
    config_.beta = result_.correlation ? options_.beta.value_or(0) : 0;
    const bool beta_known = options_.beta || !result_.correlation;
    if (options_.nu && beta_known) return;
    TuningConfig tuning{options_.boost, options_.nu, beta_known ? std::optional<double>(config_.beta) : std::nullopt,
                        options_.scalings, options_.folds, options_.seed};
    log_.begin("tuning", 0, 0, 1);
    Tuned tuned = tune(data_, divergence_.Delta, tuning, log_);
    for (const GridPoint& point : tuned.tried) result_.evaluations += point.evaluations;
    result_.tried = std::move(tuned.tried);
    config_.nu = tuned.best.nu;
    config_.beta = tuned.best.beta;
    validation_error_ = tuned.best.validation_error;
    if (!tuned.interrupted) return;
    if (result_.tried.empty()) throw InputError("interrupted before there was a model; nothing written");
    keep(tuned.split, std::move(tuned.trained));
    result_.ending = Ending::kInterrupted;
    result_.without_validation_classes = true;
  }

  // Algorithm 1 stops on the validation error. Its number of iterations is chosen as nu and beta are:
  // on held-out classes, and then used on all seen ones.
  void choose_iterations() {
    const ClassSplit held_out = validation_splits(data_, 1, options_.seed).front();
    SplitProblem split = split_problem(data_, divergence_.Delta, held_out, options_.scalings);
    const Validation validation = validation_of(data_, split, options_.scalings);
    log_.begin("validation", config_.nu, config_.beta, split.problem.samples());
    Trained trained = boost(split.problem, &validation, config_, fresh_start(split.problem).s, log_);
    result_.evaluations += trained.evaluations;
    validation_error_ = trained.validation_error;
    config_.max_iterations = trained.iterations;
    if (trained.ending != Ending::kInterrupted) return;
    keep(split, std::move(trained));
    result_.without_validation_classes = true;
  }

  void train_on_all_seen_classes() {
    const SplitProblem split =
        split_problem(data_, divergence_.Delta, {seen_classes(data_), data_.unseen_classes}, options_.scalings);
    log_.begin("training", config_.nu, config_.beta, split.problem.samples());
    Start start = fresh_start(split.problem);
    Trained trained = options_.solver == Solver::kPaper ? boost(split.problem, nullptr, config_, std::move(start.s), log_)
                                                       : boost_refined(split.problem, config_, std::move(start), log_);
    result_.evaluations += trained.evaluations;
    keep(split, std::move(trained));
  }

  void keep(const SplitProblem& split, Trained trained) {
    if (trained.ensemble.w.size() == 0) {
      if (trained.ending == Ending::kInterrupted) throw InputError("interrupted before there was a model; nothing written");
      throw InputError(fmt::format("nu {} is above the worth of any weak model, so the model would be empty; expected a smaller --nu",
                                   config_.nu));
    }
    result_.ending = trained.ending;
    ModelFile& model = result_.model;
    model.feature_scaling = options_.scalings.features;
    model.embedding_scaling = options_.scalings.embeddings;
    model.embedding_centre = split.transform.centre;
    model.embedding_parts = data_.embedding_parts;
    model.class_embeddings = data_.embeddings;
    model.classes.clear();
    for (std::size_t c = 0; c < data_.class_names.size(); ++c)
      model.classes.push_back({static_cast<std::uint32_t>(c), data_.class_names[c], true});
    for (const Index c : data_.unseen_classes) model.classes[static_cast<std::size_t>(c)].seen = false;

    TrainingRecord& record = model.record;
    record.program = "bzscr-train " BZSCR_VERSION;
    record.data_hash = data_.hash;
    record.embedding_name = data_.embedding_name;
    record.divergence = divergence_.name;
    record.method = config_.select_samples ? "bzscr" : "boosting";
    record.solver = word(options_.solver);
    record.nu = config_.nu;
    record.beta = config_.beta;
    record.objective = trained.certificate.objective;
    record.lower_bound = trained.certificate.lower_bound;
    record.relative_gap = trained.certificate.relative_gap();
    record.final_share = trained.selected;
    record.iterations = static_cast<std::uint32_t>(trained.iterations);
    record.samples = static_cast<std::uint64_t>(split.problem.samples());
    record.seed = options_.seed;
    record.tuned = !result_.tried.empty();
    record.validation_error = validation_error_;
    model.ensemble = split.lift(std::move(trained.ensemble));
  }

  const Dataset& data_;
  const Divergence& divergence_;
  const TrainOptions& options_;
  ProgressLog& log_;
  BoostConfig config_;
  double validation_error_ = -1;
  TrainingResult result_;
};

}  // namespace

TrainingResult train(const Dataset& data, const Divergence& divergence, const TrainOptions& options, ProgressLog& log) {
  return Run(data, divergence, options, log)();
}

}  // namespace bzscr
