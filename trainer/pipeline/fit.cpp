#include "base/json.h"
#include "baselines/bilinear.h"
#include "comm/communicator.h"
#include "core/blas.h"
#include "core/counters.h"
#include "core/metrics.h"
#include "core/reducer.h"
#include "core/refinement.h"
#include "core/sweep.h"
#include "export/describe_model.h"
#include "export/model_writer.h"
#include "pipeline/checkpoint.h"
#include "pipeline/context.h"
#include "pipeline/dataset.h"
#include "pipeline/estimator.h"
#include "pipeline/history.h"
#include "pipeline/options.h"
#include "solver/validation_error.h"
#include "tuning/calibration.h"
#include "tuning/folds.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

namespace bzscr::train {
namespace {

/// The samples on which errors by iteration are measured.
struct Measured {
  std::optional<EvaluationSet> training, validation, test;
};

/// The samples of a training problem, to be scored among its seen classes.
EvaluationSet training_samples(const Problem& problem) {
  return {problem.X, problem.y, problem.Phi.topRows(problem.seen)};
}

[[noreturn]] void nothing_learned(bool stopped, const std::string& why) {
  if (stopped)
    throw InputError(Place{}, "interrupted before there was a model; nothing written", "",
                     ErrorKind::kInterrupted);
  throw InputError(why);
}

/// Runs the phases of fit() in order and sums their cost. Forwards the callbacks of the solvers to
/// the caller's events and the history, and writes their states to the checkpoint.
class Fit : public EstimatorObserver {
 public:
  Fit(const Dataset& data, const Partition& partition, const FitOptions& options,
      const Context& context)
      : data_(data),
        partition_(training_partition(data, partition)),
        settings_(checked(settled(options, data.content().data))),
        execution_(
            execution_of(context, context.counters != nullptr ? context.counters : &counters_)),
        communicator_(context.communicator != nullptr ? *context.communicator : alone_),
        events_(events_of(context)),
        checkpoint_(settings_, data, communicator_,
                    [this](const std::string& note) { events_.note(note); }),
        history_(is_writer() ? options.history : "", options.resume,
                 [this](const std::string& note) { events_.note(note); }),
        estimator_(make_estimator(settings_, partition_.unseen.size() >= 2)),
        model_(nullptr) {
    reserve_blas_buffers(thread_count(execution_));
    before_ = execution_.counters->read();
    execution_.communicator = &communicator_;
    communicator_.watch_stop(context.stop);
    // Fewer than two target classes have no covariance: the term would be a constant.
    model_.correlation = partition_.unseen.size() >= 2;
    at_.max_iterations = settings_.boost.max_iterations;
    if (settings_.baseline && communicator_.size() > 1)
      throw InputError(
          fmt::format("method {} runs on one rank only; expected bzscr or boosting on several "
                      "ranks",
                      options.method));
    if (blas_threads() > 1)
      events_.note(
          fmt::format("the BLAS library runs {} threads of its own, so results may depend "
                      "on their number; OPENBLAS_NUM_THREADS=1 prevents it",
                      blas_threads()));
  }

  ~Fit() override { communicator_.watch_stop(nullptr); }

  Model operator()() {
    const auto start = std::chrono::steady_clock::now();
    started_ = start;
    const bool resumes = settings_.asked.resume && !settings_.asked.checkpoint.empty();
    std::optional<RunState> resumed = resumes ? checkpoint_.read() : std::nullopt;
    history_.add(settings_line(settings_, data_, resumed.has_value()));
    if (resumed) at_ = std::move(*resumed);
    if (at_.phase == RunState::Phase::kTuning) choose_hyper_parameters();
    if (at_.phase == RunState::Phase::kValidation) hold_classes_out();
    if (at_.phase == RunState::Phase::kTraining) train_on_all_seen_classes();
    if (at_.phase == RunState::Phase::kCalibration) choose_seen_penalty();
    end();
    events_.phase("");
    expect_whole_features(data_.content().data);
    return result(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

  // Observer

  void iteration(const bzscr::Iteration& one, const Ensemble& ensemble) override {
    IterationEvent event;
    event.number = one.number;
    event.samples = samples_;
    event.nu = parameter("nu");
    event.beta = parameter("beta");
    event.violation = one.violation;
    event.objective = one.objective;
    event.lower_bound = one.lower_bound;
    event.relative_gap = one.relative_gap;
    event.weak_models = one.weak_models;
    event.selected = one.selected;
    event.evaluations = one.evaluations;
    const auto error = [&](const std::optional<EvaluationSet>& on) {
      return on ? validation_error(*on, ensemble, settings_.boost.score) : -1;
    };
    event.training_error = error(measured_.training);
    event.validation_error =
        one.validation_error >= 0 ? one.validation_error : error(measured_.validation);
    event.test_error = error(measured_.test);
    events_.iteration(phase_, event);
    history_.add(Json::object({{"phase", phase_},
                               {"iteration", event.number},
                               {"nu", event.nu},
                               {"beta", event.beta},
                               {"samples", event.samples},
                               {"violation", event.violation},
                               {"objective", event.objective},
                               {"lower_bound", event.lower_bound},
                               {"relative_gap", event.relative_gap},
                               {"weak_models", event.weak_models},
                               {"selected", event.selected},
                               {"training_error", measured(event.training_error)},
                               {"validation_error", measured(event.validation_error)},
                               {"test_error", measured(event.test_error)},
                               {"evaluations", event.evaluations},
                               {"seconds", seconds()}}));
  }
  void progress(double fraction) override { events_.progress(fraction); }
  bool stop_requested() const override {
    expect_whole_features(data_.content().data);
    return communicator_.stop_agreed();
  }
  void state(const RefinedState& here) override {
    keep_up([&] { at_.current.refined = here; });
  }
  void state(const PrintedState& here) override {
    keep_up([&] { at_.current.printed = here; });
  }
  void state(const TuningState& here) override {
    keep_up([&] { at_.current.tuning = here; });
  }
  void grid_point(const GridPoint& point, Index done, Index at_most) override {
    tell({{{"nu", point.nu}, {"beta", point.beta}},
          point.validation_error,
          point.weak_models,
          point.evaluations},
         done, at_most);
  }
  void tried(const Trial& trial, Index done, Index at_most) override { tell(trial, done, at_most); }

 private:
  bool is_writer() const { return communicator_.rank() == 0; }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  double parameter(const std::string& name) const {
    for (const auto& [known, value] : at_.parameters)
      if (known == name) return value;
    return 0;
  }

  void tell(const Trial& trial, Index done, Index at_most) {
    events_.trial({trial.parameters, trial.validation_error, trial.weak_models, trial.evaluations,
                   done, at_most});
    Json line = Json::object({{"phase", phase_}});
    if (!settings_.baseline)
      for (const auto& [name, value] : trial.parameters) line.add(name, value);
    line.add("validation_error", trial.validation_error);
    if (!settings_.baseline)
      line.add("weak_models", trial.weak_models).add("evaluations", trial.evaluations);
    line.add("seconds", seconds());
    if (settings_.baseline)
      for (const auto& [name, value] : trial.parameters) line.add(name, value);
    history_.add(line);
  }

  template <class Set>
  void keep_up(Set set) {
    if (!checkpoint_.due()) return;
    set();
    checkpoint_.write(at_);
  }

  void begin(const std::string& phase, Index samples) {
    end();
    phase_ = phase;
    evaluations_before_ = at_.evaluations;
    samples_ = samples;
    events_.phase(phase);
  }

  void end() {
    if (!phase_.empty()) events_.phase_ended(phase_, at_.evaluations - evaluations_before_);
    phase_.clear();
  }

  // Phases

  void choose_hyper_parameters() {
    std::optional<StoppedSearch> stopped;
    if (estimator_->must_choose()) begin("tuning", 1);
    Choice choice = estimator_->choose(data_.content().data, partition_, Delta(), execution_,
                                       std::move(at_.current.tuning), *this, stopped);
    at_.current = {};
    at_.evaluations += choice.evaluations;
    at_.tried = std::move(choice.tried);
    at_.tuned = choice.tuned;
    at_.parameters = std::move(choice.parameters);
    at_.validation_error = choice.validation_error;
    if (stopped) {
      if (at_.tried.empty()) nothing_learned(true, "");
      return stop_with(stopped->split, std::move(stopped->learned));
    }
    at_.phase = iterations_are_chosen() || curves() ? RunState::Phase::kValidation
                                                    : RunState::Phase::kTraining;
  }

  bool iterations_are_chosen() const {
    return !settings_.baseline && settings_.solver == Solver::kPaper &&
           settings_.asked.early_stopping;
  }
  bool curves() const { return !settings_.baseline && settings_.curves != Curves::kNone; }

  // Algorithm 1 stops on the validation error. Its number of iterations is chosen like nu and beta,
  // on held-out classes, and then used on all seen classes. With the other solver this run only
  // yields the learning curves.
  void hold_classes_out() {
    const bzscr::Dataset& data = data_.content().data;
    if (!iterations_are_chosen() && !can_hold_out(data, partition_)) {
      events_.note(
          "validation errors by iteration are not measured: there are too few seen classes to "
          "hold some out");
      at_.phase = RunState::Phase::kTraining;
      return;
    }
    const ClassSplit held_out =
        validation_splits(data, partition_, 1, settings_.asked.seed).front();
    const SplitProblem split = estimator_->split(data, partition_, Delta(), held_out, execution_);
    const EvaluationSet validation = unseen_evaluation_set(data, partition_, split);
    if (curves()) measured_ = {training_samples(split.problem), validation, std::nullopt};
    LearnedModel learned = learn("validation", split.problem, &validation);
    if (iterations_are_chosen()) {
      at_.validation_error = learned.trained->validation_error;
      at_.max_iterations = learned.trained->iterations;
    }
    if (learned.stopped) return stop_with(split, std::move(learned));
    at_.phase = RunState::Phase::kTraining;
  }

  SplitProblem all_seen_classes() const {
    const bzscr::Dataset& data = data_.content().data;
    return estimator_->split(data, partition_, Delta(), all_classes(data, partition_), execution_);
  }

  void train_on_all_seen_classes() {
    const bzscr::Dataset& data = data_.content().data;
    const SplitProblem split = all_seen_classes();
    if (curves()) measured_.training = training_samples(split.problem);
    if (settings_.curves == Curves::kTest) {
      EvaluationSet test = unseen_evaluation_set(data, partition_, split);
      if (test.X.size() > 0) measured_.test = std::move(test);
    }
    LearnedModel learned = learn("training", split.problem, nullptr);
    const bool stopped = learned.stopped;
    keep(split, learned);
    if (stopped || !settings_.asked.calibration || !can_hold_out(data, partition_)) return;
    at_.trained = std::move(learned.trained);
    at_.phase = RunState::Phase::kCalibration;
  }

  // Trains from the state of a checkpoint, or from the beginning.
  LearnedModel learn(const std::string& phase, const Problem& problem,
                     const EvaluationSet* validation) {
    begin(phase, problem.samples());
    LearnedModel learned = estimator_->learn(problem, at_.parameters, Purpose::kModel, validation,
                                             at_.max_iterations, at_.current, *this);
    measured_ = {};
    at_.current = {};
    if (learned.trained) at_.evaluations += learned.trained->evaluations;
    return learned;
  }

  // The final model is trained already; at_ holds it for checkpoints. The penalty is chosen with
  // models that are trained without some classes and samples.
  void choose_seen_penalty() {
    if (content_.classes.empty()) {  // resumed in this phase
      const SplitProblem split = all_seen_classes();
      LearnedModel learned;
      learned.ensemble = model_ensemble(split.problem, at_.trained->ensemble, settings_);
      learned.form = settings_.boost.score;
      learned.trained = at_.trained;
      keep(split, learned);
    }
    const std::optional<Calibration> chosen = calibrate(
        *estimator_, data_.content().data, partition_, Delta(), settings_, at_.parameters,
        at_.max_iterations, execution_, at_.current, at_.outcomes, *this,
        [&](const Problem& problem) { begin("calibration", problem.samples()); },
        [&](const LearnedModel& learned) {
          at_.current = {};
          if (learned.trained) at_.evaluations += learned.trained->evaluations;
        });
    if (!chosen) {
      if (!settings_.baseline) model_.ending = Ending::kInterrupted;
      return;
    }
    if (chosen->teaching) {
      const Teaching& teaching = *chosen->teaching;
      content_.teaching =
          ModelTeaching{teaching.blend, teaching.offset, row_length_, teaching.accuracy, {0}};
      content_.teaching->shots.insert(content_.teaching->shots.end(), std::begin(kShots),
                                      std::end(kShots));
    }
    if (chosen->penalty.harmonic == 0)
      return;  // one kind of class has no held-out sample, or none that is classified correctly
    content_.seen_penalty = chosen->penalty.penalty;
    content_.record.validation_harmonic = chosen->penalty.harmonic;
  }

  // After a stop in a phase with held-out validation classes: keeps the best model so far.
  void stop_with(const SplitProblem& split, LearnedModel learned) {
    learned.stopped = true;
    keep(split, learned);
    model_.ending = Ending::kInterrupted;
    model_.without_validation_classes = true;
  }

  // Sets the content of the model file, except for the penalty.
  void keep(const SplitProblem& split, const LearnedModel& learned) {
    in_file_ = !learned.other;
    if (learned.stopped && learned.other == std::nullopt && learned.ensemble.w.size() == 0)
      nothing_learned(true, "");
    if (in_file_ && learned.ensemble.w.size() == 0)
      nothing_learned(
          learned.stopped,
          settings_.baseline
              ? "the method learned nothing: no sample violates its margin, so the model "
                "would be empty"
              : fmt::format("nu = {} >= nu_max: the optimum is the empty model; expected a "
                            "smaller nu",
                            parameter("nu")));
    content_ = describe_model(data_.content().data, partition_, settings_.scalings.features,
                              settings_.scalings.embeddings, split.transform.centre);
    TrainingRecord& record = content_.record;
    record.program = kProgram;
    record.divergence = data_.divergence();
    record.samples = static_cast<std::uint64_t>(split.problem.samples());
    record.seed = settings_.asked.seed;
    record.tuned = at_.tuned;
    record.validation_error = at_.validation_error;
    if (settings_.baseline) {
      const BaselineMethod& method = baseline_method(*settings_.baseline);
      record.method = method.word;
      record.solver = method.solver;
      record.hyper_parameters =
          words_of(at_.parameters) + (settings_.asked.average ? ", iterates averaged" : "");
    } else {
      const Trained& trained = *learned.trained;
      model_.ending = static_cast<Ending>(trained.ending);
      record.method = settings_.asked.method;
      record.solver = settings_.asked.solver;
      record.nu = parameter("nu");
      record.beta = parameter("beta");
      record.ridge = settings_.boost.ridge;
      record.base = settings_.boost.base ? "ridge" : "none";
      record.own_part = settings_.scalings.own_part;
      record.objective = trained.certificate.objective;
      record.lower_bound = trained.certificate.lower_bound;
      record.relative_gap = trained.certificate.relative_gap();
      record.final_share = trained.selected;
      record.iterations = static_cast<std::uint32_t>(trained.iterations);
    }
    if (settings_.asked.test_unseen) {
      model_.unseen = test_unseen(split, learned);
      const CalibrationFold test = joint_test(data_.content().data, partition_, split);
      tested_ = learned.other ? held_out_outcomes(test, learned.scores(test.X, split.problem.Phi))
                              : held_out_outcomes(test, learned.ensemble, learned.form);
    }
    if (!in_file_) return;
    set_ensemble(split, learned, content_);
    row_length_ = mean_row_length(learned, split.problem.Phi);
  }

  // The test on unseen classes; empty if the data set has no samples of them. No choice depends on
  // it.
  std::optional<UnseenTest> test_unseen(const SplitProblem& split,
                                        const LearnedModel& learned) const {
    const EvaluationSet test = unseen_evaluation_set(data_.content().data, partition_, split);
    if (test.X.size() == 0) return std::nullopt;
    const std::vector<Index>& classes = split.classes.targets;
    const bzscr::Labels predicted = predict(learned, test);
    const auto C = static_cast<Index>(classes.size());
    UnseenTest result;
    for (const Index r : classes)
      result.classes.push_back(data_.classes()[static_cast<std::size_t>(r)]);
    const RowMatrix<Index> confusion = confusion_matrix(test.y, predicted, C);
    for (Index r = 0; r < C; ++r)
      result.confusion.emplace_back(confusion.row(r).begin(), confusion.row(r).end());
    result.samples = test.X.size();
    result.error_rate = error_rate(test.y, predicted);
    result.mean_delta = mean_delta(test.y, predicted, Delta()(classes, classes));
    result.per_class_top1 = per_class_accuracy(count_by_class(test.y, predicted, C));
    return result;
  }

  // With the penalty, which is chosen after the model is trained.
  std::optional<JointTest> joint_accuracy() const {
    if (!has_both_kinds(tested_)) return std::nullopt;
    const SeenUnseenCurve curve = seen_unseen_curve(tested_);
    const auto at = [&](double penalty) {
      const bzscr::SeenUnseen accuracy = accuracy_at(curve, penalty);
      return SeenUnseen{accuracy.seen, accuracy.unseen};
    };
    return JointTest{at(0), at(content_.seen_penalty), area_under(curve)};
  }

  static bzscr::Labels predict(const LearnedModel& learned, const EvaluationSet& test) {
    if (learned.other) return best_classes(learned.scores(test.X, test.Phi));
    const Factors at = factors(learned.ensemble);
    return Sweep<float>::predict(test.X, test.Phi, at.A, at.B, learned.form);
  }

  Model result(double seconds) {
    const TrainingRecord& record = content_.record;
    using Bytes = std::vector<std::uint8_t>;
    Model model(in_file_ ? std::make_shared<const Bytes>(serialise_model(content_)) : nullptr);
    model.method = record.method;
    model.solver = record.solver;
    model.parameters = at_.parameters;
    model.ridge = record.ridge;
    model.base = record.base;
    model.score = name_of(content_.score);
    model.own_part = record.own_part;
    model.feature_centring = content_.feature_offsets.size() > 0;
    model.tuned = record.tuned;
    model.tried = at_.tried;
    model.validation_error = record.validation_error;
    model.seen_penalty = content_.seen_penalty;
    model.validation_harmonic = record.validation_harmonic;
    if (content_.teaching)
      for (std::size_t n = 0; n < content_.teaching->accuracy.size(); ++n)
        model.taught.push_back({content_.teaching->shots[n], content_.teaching->accuracy[n]});
    model.objective = record.objective;
    model.lower_bound = record.lower_bound;
    model.relative_gap = record.relative_gap;
    model.weak_models = (content_.ensemble.w.array() > 0).count();
    model.iterations = record.iterations;
    model.samples = static_cast<std::int64_t>(record.samples);
    model.ending = model_.ending;
    model.correlation = model_.correlation;
    model.without_validation_classes = model_.without_validation_classes;
    model.unseen = model_.unseen;
    if (model.unseen) model.unseen->joint = joint_accuracy();
    const Counters spent = execution_.counters->read() - before_;
    model.cost = {at_.evaluations, seconds, spent.pass_seconds, spent.message_bytes,
                  spent.waiting_seconds};
    model.history = history_.text();
    return model;
  }

  const Matrix& Delta() const { return data_.content().divergence.Delta; }

  const Dataset data_;  // shares the content, which therefore outlives the problems below
  const bzscr::Partition partition_;
  const Settings settings_;
  CostCounters counters_;
  Counters before_;
  Execution execution_;
  SerialCommunicator alone_;
  Communicator& communicator_;
  Events& events_;
  Checkpoint checkpoint_;  // refuses before a history is begun anew
  History history_;
  const std::unique_ptr<Estimator> estimator_;
  RunState at_;
  Measured measured_;
  std::vector<JointOutcome> tested_;  // of test samples, if they are tested
  ModelFile content_;
  double row_length_ = 1;  // of the classes of the model, their mean
  bool in_file_ = true;    // a model file can hold the model
  Model model_;
  std::string phase_;
  Index samples_ = 1, evaluations_before_ = 0;
  std::chrono::steady_clock::time_point started_{};
};

}  // namespace

Model fit(const Dataset& data, const Partition& partition, const FitOptions& options,
          const Context& context) {
  return Fit(data, partition, options, context)();
}

}  // namespace bzscr::train
