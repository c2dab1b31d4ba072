#include "pipeline/estimator.h"

#include "baselines/bilinear.h"
#include "core/refinement.h"
#include "core/score_form.h"
#include "solver/boost.h"
#include "tuning/folds.h"
#include "tuning/training_split.h"
#include "tuning/tune_baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bzscr::train {
namespace {

constexpr double kCalibrationGap = 5e-3;  // certified; a smaller one hardly changes the scores

double value_of(const Parameters& parameters, const std::string& name) {
  for (const auto& [known, value] : parameters)
    if (known == name) return value;
  return 0;
}

class Boosting : public Estimator {
 public:
  Boosting(const Settings& settings, bool correlation)
      : settings_(settings), nu_(settings.asked.nu), beta_(settings.asked.beta) {
    if (!correlation) beta_ = 0;
  }

  bool must_choose() const override { return !nu_ || !beta_; }

  SplitProblem split(const bzscr::Dataset& data, const bzscr::Partition& partition,
                     const Matrix& Delta, const ClassSplit& classes,
                     const Execution& execution) const override {
    return training_split(data, partition, Delta, classes, settings_.scalings, settings_.boost,
                          execution);
  }

  Choice choose(const bzscr::Dataset& data, const bzscr::Partition& partition, const Matrix& Delta,
                const Execution& execution, TuningState from, EstimatorObserver& observer,
                std::optional<StoppedSearch>& stopped) const override {
    Choice choice;
    if (!must_choose()) {
      choice.parameters = {{"nu", *nu_}, {"beta", *beta_}};
      return choice;
    }
    const FitOptions& asked = settings_.asked;
    const TuningConfig config{settings_.boost, nu_,        beta_,    settings_.scalings,
                              asked.folds,     asked.seed, execution};
    Tuned tuned = tune(data, partition, Delta, config, observer, std::move(from));
    choice.tuned = true;
    choice.parameters = {{"nu", tuned.best.nu}, {"beta", tuned.best.beta}};
    choice.validation_error = tuned.best.validation_error;
    for (const GridPoint& point : tuned.tried) {
      choice.evaluations += point.evaluations;
      choice.tried.push_back({{{"nu", point.nu}, {"beta", point.beta}},
                              point.validation_error,
                              point.weak_models,
                              point.evaluations});
    }
    if (tuned.interrupted) {
      LearnedModel best = learned(tuned.split.problem, std::move(tuned.trained));
      stopped = StoppedSearch{std::move(tuned.split), std::move(best)};
    }
    return choice;
  }

  LearnedModel learn(const Problem& problem, const Parameters& parameters, Purpose purpose,
                     const EvaluationSet* validation, Index max_iterations, const Resumption& from,
                     EstimatorObserver& observer) const override {
    BoostConfig config = settings_.boost;
    config.nu = value_of(parameters, "nu");
    config.beta = value_of(parameters, "beta");
    config.max_iterations = max_iterations;
    if (purpose == Purpose::kCalibration) config.gap = std::max(config.gap, kCalibrationGap);
    if (settings_.solver == Solver::kPaper) {
      const Vector all = Vector::Ones(problem.samples());
      return learned(problem,
                     boost(problem, validation, config,
                           from.printed ? *from.printed : printed_start(problem, all), observer));
    }
    const FeatureSpectrum spectrum = feature_spectrum(problem.X);
    LearnedModel model =
        learned(problem, boost_refined(problem, spectrum, config,
                                       from.refined ? *from.refined : fresh_start(problem, config),
                                       observer));
    if (settings_.asked.calibration && model.ensemble.w.size() > 0)
      model.directions =
          teaching_directions(spectrum, model.ensemble.U, settings_.asked.teaching_directions);
    return model;
  }

 private:
  LearnedModel learned(const Problem& problem, Trained trained) const {
    LearnedModel model;
    model.ensemble = model_ensemble(problem, trained.ensemble, settings_);
    model.form = settings_.boost.score;
    model.stopped = trained.ending == bzscr::Ending::kInterrupted;
    model.trained = std::move(trained);
    return model;
  }

  const Settings& settings_;
  std::optional<double> nu_, beta_;
};

class BaselineEstimator : public Estimator {
 public:
  explicit BaselineEstimator(const Settings& settings)
      : settings_(settings), method_(baseline_method(*settings.baseline)) {}

  bool must_choose() const override {
    const auto values = given();
    return std::any_of(values.begin(), values.end(), [](const auto& value) { return !value; });
  }

  SplitProblem split(const bzscr::Dataset& data, const bzscr::Partition& partition,
                     const Matrix& Delta, const ClassSplit& classes,
                     const Execution& execution) const override {
    return split_problem(data, partition, Delta, classes, settings_.scalings, execution,
                         Origin::kTransform);
  }

  Choice choose(const bzscr::Dataset& data, const bzscr::Partition& partition, const Matrix& Delta,
                const Execution& execution, TuningState, EstimatorObserver& observer,
                std::optional<StoppedSearch>& stopped) const override {
    BaselineTuning tuning{given(), config(observer), settings_.scalings, settings_.asked.folds,
                          execution};
    Choice choice;
    choice.tuned = must_choose();
    if (!choice.tuned) {
      Setting setting;
      for (const auto& value : tuning.given) setting.push_back(*value);
      choice.parameters = named(setting);
      return choice;
    }
    const TunedBaseline tuned = tune_baseline(data, partition, Delta, method_.id, tuning,
                                              [&](const TriedSetting& one, Index done, Index of) {
                                                observer.tried(trial(one), done, of);
                                              });
    if (tuned.best.empty()) {
      stopped.emplace();
      return choice;
    }
    choice.parameters = named(tuned.best);
    choice.validation_error = tuned.validation_error;
    for (const TriedSetting& one : tuned.tried) choice.tried.push_back(trial(one));
    return choice;
  }

  LearnedModel learn(const Problem& problem, const Parameters& parameters, Purpose,
                     const EvaluationSet*, Index, const Resumption&,
                     EstimatorObserver& observer) const override {
    Setting setting;
    for (const auto& each : parameters) setting.push_back(each.second);
    std::optional<BaselineModel> learned =
        learn_one(method_.id, problem, setting, config(observer));
    LearnedModel model;
    model.stopped = !learned;
    if (!learned) return model;
    const bool finite = learned->network || learned->W.allFinite();
    if (!finite)
      throw InputError(fmt::format("the method diverged with {}; expected a smaller rate",
                                   words_of(parameters)));
    if (method_.bilinear)
      model.ensemble = weak_models(learned->W);
    else
      model.other = std::move(learned);
    return model;
  }

 private:
  BaselineConfig config(const EstimatorObserver& observer) const {
    return {settings_.asked.average, settings_.asked.seed,
            [&observer] { return observer.stop_requested(); }};
  }
  std::vector<std::optional<double>> given() const {
    std::vector<std::optional<double>> values;
    for (const HyperParameter& each : method_.parameters)
      values.push_back(settings_.hyper_parameter(each.name));
    return values;
  }
  Parameters named(const Setting& setting) const {
    Parameters parameters;
    for (std::size_t j = 0; j < setting.size(); ++j)
      parameters.emplace_back(method_.parameters[j].name, setting[j]);
    return parameters;
  }
  Trial trial(const TriedSetting& one) const {
    return {named(one.setting), one.validation_error, 0, 0};
  }

  const Settings& settings_;
  const BaselineMethod& method_;
};

}  // namespace

std::string words_of(const Parameters& parameters) {
  std::string words;
  for (const auto& [name, value] : parameters)
    words += fmt::format("{}{} {:g}", words.empty() ? "" : ", ", name, value);
  return words;
}

MatrixF LearnedModel::scores(const Samples& X, const Matrix& Phi) const {
  if (other) return bzscr::scores(*other, X, Phi);
  const Factors at = factors(ensemble);
  return bzscr::scores(X, at.A * class_rows(at, Phi, form).transpose());
}

double mean_row_length(const LearnedModel& learned, const Matrix& Phi) {
  const Factors at = factors(learned.ensemble);
  return (class_rows(at, Phi, learned.form) * at.A.transpose()).rowwise().norm().mean();
}

// Weak models with w = 0; what their v is makes no difference.
void append_directions(const Matrix& directions, Ensemble& ensemble) {
  const Index k = ensemble.U.cols(), more = directions.cols();
  ensemble.U.conservativeResize(Eigen::NoChange, k + more);
  ensemble.U.rightCols(more) = directions;
  ensemble.V.conservativeResize(Eigen::NoChange, k + more);
  ensemble.V.rightCols(more).setZero();
  ensemble.V.row(0).tail(more).setOnes();
  ensemble.w.conservativeResize(k + more);
  ensemble.w.tail(more).setZero();
}

void set_ensemble(const SplitProblem& split, const LearnedModel& learned, ModelFile& file) {
  const Index d = file.class_embeddings.cols();
  file.ensemble = split.lift(learned.ensemble);
  file.score = learned.form;
  if (learned.directions) append_directions(*learned.directions, file.ensemble);
  if (const ColumnScaling* columns = split.problem.X.columns.get()) {
    file.feature_mean = columns->mean;
    file.feature_factor = columns->factor;
  }
  if (split.problem.X.centre.size() > 0)
    file.feature_offsets = file.ensemble.U.transpose() * split.problem.X.centre;
  Matrix& V = file.ensemble.V;
  if (V.rows() == d) return;
  // The own parts are gamma times the rest of V. v_j gets unit length, and with it what it had of
  // the length of both; below 2^-20 of it, float32 could not tell it from nothing.
  const Index seen = V.rows() - d;
  const Matrix own = split.own_part * V.bottomRows(seen);
  V.conservativeResize(d, V.cols());
  file.own = Matrix::Zero(file.class_embeddings.rows(), V.cols());
  for (Index j = 0; j < V.cols(); ++j) {
    const double least = 0x1p-20 * std::hypot(V.col(j).norm(), own.col(j).norm());
    double length = V.col(j).norm();
    if (length < least) {
      if (length == 0) V(0, j) = least;
      V.col(j) *= length == 0 ? 1 : least / length;
      length = least;
    }
    V.col(j) /= length;
    for (Index r = 0; r < seen; ++r)
      file.own(split.classes.seen[static_cast<std::size_t>(r)], j) = own(r, j) / length;
    file.ensemble.w[j] *= length;
  }
}

Ensemble model_ensemble(const Problem& problem, const Ensemble& learned, const Settings& settings) {
  const bool orthonormal = settings.solver == Solver::kRefine || learned.w.size() == 0;
  if (settings.boost.score == ScoreForm::kPlain || orthonormal) return with_base(problem, learned);
  return recompress(factors(learned), 1e-7);
}

std::unique_ptr<Estimator> make_estimator(const Settings& settings, bool correlation) {
  if (settings.baseline) return std::make_unique<BaselineEstimator>(settings);
  return std::make_unique<Boosting>(settings, correlation);
}

std::optional<Calibration> calibrate(const Estimator& estimator, const bzscr::Dataset& data,
                                     const bzscr::Partition& partition, const Matrix& Delta,
                                     const Settings& settings, const Parameters& parameters,
                                     Index max_iterations, const Execution& execution,
                                     Resumption& from, std::vector<FoldOutcomes>& outcomes,
                                     EstimatorObserver& observer,
                                     const std::function<void(const Problem&)>& begin,
                                     const std::function<void(const LearnedModel&)>& learned) {
  const FitOptions& asked = settings.asked;
  const std::vector<ClassSplit> folds = validation_splits(data, partition, asked.folds, asked.seed);
  while (outcomes.size() < folds.size()) {
    const ClassSplit& classes = folds[outcomes.size()];
    const CalibrationFold fold = calibration_fold(
        data, partition, classes, asked.seed, [&](const bzscr::Partition& without) {
          return estimator.split(data, without, Delta, classes, execution);
        });
    const Problem& problem = fold.split.problem;
    begin(problem);
    const LearnedModel model = estimator.learn(problem, parameters, Purpose::kCalibration, nullptr,
                                               max_iterations, from, observer);
    from = {};
    learned(model);
    if (model.stopped) return std::nullopt;
    FoldOutcomes& one = outcomes.emplace_back();
    one.joint = model.other ? held_out_outcomes(fold, model.scores(fold.X, problem.Phi))
                            : held_out_outcomes(fold, model.ensemble, model.form);
    if (model.directions)
      one.taught = taught_outcomes(fold, model.ensemble, model.form, *model.directions, asked.seed);
  }
  std::vector<std::vector<JointOutcome>> joint;
  std::vector<std::vector<std::vector<JointOutcome>>> taught;
  for (const FoldOutcomes& one : outcomes) {
    joint.push_back(one.joint);
    if (!one.taught.empty()) taught.push_back(one.taught);
  }
  Calibration chosen{choose_penalty(joint), std::nullopt};
  if (taught.size() == joint.size())
    chosen.teaching = choose_teaching(taught, chosen.penalty.penalty);
  return chosen;
}

}  // namespace bzscr::train
