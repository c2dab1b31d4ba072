#include "baselines/bilinear.h"
#include "core/blas.h"
#include "core/reducer.h"
#include "core/side_by_side.h"
#include "data/formats/npy_file.h"
#include "export/describe_model.h"
#include "export/model_writer.h"
#include "geometry/divergence.h"
#include "pipeline/context.h"
#include "pipeline/dataset.h"
#include "pipeline/estimator.h"
#include "pipeline/options.h"
#include "tuning/calibration.h"
#include "tuning/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>

namespace bzscr::train {
namespace {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Forms

/// A row of the paper's table, or another method; one method may have two forms.
struct Form {
  std::string method;  ///< of the table
  std::string name;    ///< "wordnet", "zero-one", "cosine"; empty where there is only one
  bool of_paper;       ///< in the paper's table; only these are ranked
  std::string estimator;
  bool zero_one = false;  ///< learns with the 0-1 divergence
};

std::vector<Form> all_forms(const std::string& divergence) {
  return {{"bzscr", "", true, "bzscr"},     {"boosting", "", true, "boosting"},
          {"sje", divergence, true, "sje"}, {"sje", "zero-one", true, "sje", true},
          {"ale", divergence, true, "ale"}, {"ale", "zero-one", true, "ale", true},
          {"nr", "", true, "nr"},           {"cca", "cosine", true, "cca-cosine"},
          {"cca", "bilinear", true, "cca"}, {"devise", "", false, "devise"},
          {"eszsl", "", false, "eszsl"},    {"ridge", "", false, "ridge"}};
}

std::vector<Form> asked_forms(const std::vector<std::string>& methods,
                              const std::string& divergence) {
  std::vector<Form> forms;
  for (const Form& form : all_forms(divergence)) {
    const bool asked =
        methods.empty() || std::find(methods.begin(), methods.end(), form.method) != methods.end();
    if (asked && !(form.zero_one && divergence == "zero-one")) forms.push_back(form);
  }
  return forms;
}

// One method on one split

/// Forwards the caller's stop condition, and reports how far a method is on its split.
class MethodObserver : public EstimatorObserver {
 public:
  using Report = std::function<void(double)>;

  MethodObserver(const bzscr::Dataset& data, const std::function<bool()>& stop, Report report)
      : data_(data), stop_(stop), report_(std::move(report)) {}

  enum class Part { kChoosing, kTraining, kCalibration };
  void begin(Part part) { part_ = part; }

  void grid_point(const GridPoint&, Index done, Index at_most) override { tell(done, at_most); }
  void tried(const Trial&, Index done, Index at_most) override { tell(done, at_most); }
  void progress(double fraction) override {
    if (part_ != Part::kChoosing) tell(fraction, 1.0);  // its trials say how far it is
  }
  bool stop_requested() const override {
    expect_whole_features(data_);
    return stop_ && stop_();
  }

 private:
  template <class Number>
  void tell(Number done, Number at_most) {
    constexpr double kBegin[] = {0, 0.7, 0.85, 1};  // of each part: choosing takes most of the time
    const auto part = static_cast<std::size_t>(part_);
    report_(kBegin[part] + (kBegin[part + 1] - kBegin[part]) * static_cast<double>(done) /
                               static_cast<double>(at_most));
  }

  const bzscr::Dataset& data_;
  const std::function<bool()>& stop_;
  Report report_;
  Part part_ = Part::kChoosing;
};

/// The options that the form's method has, of those that are common to all methods.
Settings settings_of(const Form& form, const FitOptions& common) {
  const FitOptions usual;
  FitOptions options = common;
  options.method = form.estimator;
  const bool boosted = form.estimator == "bzscr" || form.estimator == "boosting";
  const bool by_steps =
      form.estimator == "sje" || form.estimator == "ale" || form.estimator == "devise";
  if (!boosted) {
    options.nu = options.beta = options.ridge = std::nullopt;
    options.base.clear();
    options.score.clear();
    options.own_part = std::nullopt;
    options.feature_centring = std::nullopt;
    options.gap = usual.gap;
    options.max_iterations = usual.max_iterations;
  }
  if (form.estimator != "bzscr") {
    options.initial_share = usual.initial_share;
    options.share_growth = usual.share_growth;
    options.final_share = usual.final_share;
    options.full_share = usual.full_share;
  }
  if (!by_steps) options.average = false;
  return checked(options);
}

/// Trains and tests one form on one split; empty after a stop.
std::optional<Measures> measure(const Form& form, const Dataset& data,
                                const bzscr::Partition& partition, const FitOptions& common,
                                const Execution& execution, const std::function<bool()>& stop,
                                const MethodObserver::Report& report) {
  const double start = clock_seconds();
  const bzscr::Dataset& read = data.content().data;
  const Matrix& Delta = data.content().divergence.Delta;
  const Matrix learning = form.zero_one ? zero_one_divergence(Delta.rows()) : Delta;
  const Settings settings = settings_of(form, settled(common, read));
  const auto estimator = make_estimator(settings, partition.unseen.size() >= 2);
  const Index iterations = settings.boost.max_iterations;
  MethodObserver observer(read, stop, report);

  std::optional<StoppedSearch> stopped;
  observer.begin(MethodObserver::Part::kChoosing);
  const Choice choice =
      estimator->choose(read, partition, learning, execution, {}, observer, stopped);
  if (stopped) return std::nullopt;
  const SplitProblem split =
      estimator->split(read, partition, learning, all_classes(read, partition), execution);
  const Problem& problem = split.problem;
  observer.begin(MethodObserver::Part::kTraining);
  const LearnedModel model = estimator->learn(problem, choice.parameters, Purpose::kModel, nullptr,
                                              iterations, {}, observer);
  if (model.stopped) return std::nullopt;

  Measures at;
  at.setting = words_of(choice.parameters);
  if (!settings.baseline && settings.boost.ridge > 0)
    at.setting += fmt::format(", ridge {:g}", settings.boost.ridge);
  if (!settings.baseline) {
    if (settings.boost.base) at.setting += ", base ridge";
    if (settings.scalings.own_part > 0)
      at.setting += fmt::format(", own part {:g}", settings.scalings.own_part);
    if (settings.scalings.centre_features) at.setting += ", features centred";
    if (model.form != ScoreForm::kPlain) at.setting += fmt::format(", {}", name_of(model.form));
  }
  at.validation_error = choice.validation_error;
  if (!model.other) {
    ModelFile file = describe_model(read, partition, settings.scalings.features,
                                    settings.scalings.embeddings, split.transform.centre);
    set_ensemble(split, model, file);
    at.model_bytes = model.ensemble.w.size() == 0 ? 0 : serialise_model(file).size();
  }
  at.joint = !partition.held_out.empty();
  std::optional<Teaching> teaching;
  if (at.joint) {
    observer.begin(MethodObserver::Part::kCalibration);
    Resumption from;
    std::vector<FoldOutcomes> outcomes;
    const auto chosen = calibrate(
        *estimator, read, partition, learning, settings, choice.parameters, iterations, execution,
        from, outcomes, observer, [](const Problem&) {}, [](const LearnedModel&) {});
    if (!chosen) return std::nullopt;
    at.penalty = chosen->penalty.harmonic > 0 ? chosen->penalty.penalty : 0;
    teaching = chosen->teaching;
  }
  at.seconds = clock_seconds() - start;

  const EvaluationSet unseen = unseen_evaluation_set(read, partition, split);
  const bzscr::Labels best = best_classes(model.scores(unseen.X, unseen.Phi));
  at.error_rate = error_rate(unseen.y, best);
  at.mean_delta = mean_delta(unseen.y, best, Delta(partition.unseen, partition.unseen));
  at.per_class_top1 = per_class_accuracy(count_by_class(unseen.y, best, unseen.Phi.rows()));
  if (!at.joint) return at;

  const CalibrationFold test = joint_test(read, partition, split);
  const SeenUnseenCurve curve =
      seen_unseen_curve(held_out_outcomes(test, model.scores(test.X, problem.Phi)));
  const auto both = [](const bzscr::SeenUnseen& one) { return SeenUnseen{one.seen, one.unseen}; };
  at.plain = both(accuracy_at(curve, 0));
  at.calibrated = both(accuracy_at(curve, at.penalty));
  at.ausuc = area_under(curve);
  if (teaching && model.directions)
    for (const TaughtAccuracy& one :
         taught_accuracy(taught_outcomes(test, model.ensemble, model.form, *model.directions,
                                         settings.asked.seed),
                         *teaching, at.penalty))
      at.taught.push_back({one.shots, one.among_unseen, both(one.joint)});
  return at;
}

// Over splits

double mean_error(const ComparedForm& form) {
  double sum = 0;
  for (const Measures& at : form.splits) sum += at.error_rate;
  return sum / static_cast<double>(form.splits.size());
}

void mark_the_better_forms(std::vector<ComparedForm>& forms) {
  for (ComparedForm& form : forms)
    for (const ComparedForm& other : forms)
      if (&form != &other && form.method == other.method) {
        const double own = mean_error(form), theirs = mean_error(other);
        if (theirs < own || (theirs == own && &other < &form)) form.counts = false;
      }
}

/// Sets the mean rank over the splits. Equal error rates get the mean of their ranks.
void rank(std::vector<ComparedForm>& forms, const std::vector<Form>& described) {
  const auto ranked = [&](std::size_t f) { return forms[f].counts && described[f].of_paper; };
  for (std::size_t f = 0; f < forms.size(); ++f) {
    if (!ranked(f)) continue;
    const auto splits = static_cast<double>(forms[f].splits.size());
    for (std::size_t s = 0; s < forms[f].splits.size(); ++s) {
      double place = 1;
      for (std::size_t other = 0; other < forms.size(); ++other) {
        if (other == f || !ranked(other)) continue;
        const double own = forms[f].splits[s].error_rate;
        const double theirs = forms[other].splits[s].error_rate;
        place += theirs < own ? 1 : theirs == own ? 0.5 : 0;
      }
      forms[f].mean_rank += place / splits;
    }
  }
}

/// Sets the difference of per-class accuracy to that of `reference`, split by split.
void compare_with(const ComparedForm& reference, ComparedForm& form) {
  std::vector<double> differences;
  for (std::size_t s = 0; s < form.splits.size(); ++s) {
    differences.push_back(form.splits[s].per_class_top1 - reference.splits[s].per_class_top1);
    form.better += differences.back() > 0;
    form.worse += differences.back() < 0;
  }
  form.difference = mean_of(differences);
}

std::size_t index_of_highest(const std::vector<std::size_t>& counts) {
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// Removes the splits that some form has not finished; if that would be all, keeps the split that
/// most forms have finished, and these forms.
void keep_finished(Comparison& comparison, std::vector<Form>& described,
                   const std::vector<std::vector<bool>>& finished) {
  const std::size_t forms = finished.size(), splits = finished.front().size();
  std::vector<std::size_t> counts(splits), kept;
  for (std::size_t s = 0; s < splits; ++s) {
    for (const auto& form : finished) counts[s] += form[s];
    if (counts[s] == forms) kept.push_back(s);
  }
  comparison.complete = kept.size() == splits;
  if (kept.empty()) kept.push_back(index_of_highest(counts));
  std::vector<ComparedForm> compared;
  std::vector<Form> of_them;
  for (std::size_t f = 0; f < forms; ++f) {
    if (!finished[f][kept.front()]) continue;
    ComparedForm& form = compared.emplace_back(std::move(comparison.forms[f]));
    of_them.push_back(described[f]);
    std::vector<Measures> measured;
    for (const std::size_t s : kept) measured.push_back(std::move(form.splits[s]));
    form.splits = std::move(measured);
  }
  comparison.forms = std::move(compared);
  described = std::move(of_them);
}

// Splits

/// The role of each class: 0 training, 1 validation, 2 unseen.
using Parts = std::vector<std::uint8_t>;

/// A fifth of the samples of each seen class is held out.
Partition partition_of(const bzscr::Dataset& data, const Parts& parts, std::uint64_t seed) {
  Partition partition;
  if (std::find(parts.begin(), parts.end(), 1) != parts.end())
    partition.validation_folds.assign(1, {});
  std::vector<std::vector<Index>> rows(parts.size());
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    rows[static_cast<std::size_t>(data.labels[i])].push_back(static_cast<Index>(i));
  for (std::size_t c = 0; c < parts.size(); ++c) {
    if (parts[c] == 2) partition.unseen.push_back(static_cast<std::int64_t>(c));
    if (parts[c] == 1) partition.validation_folds[0].push_back(static_cast<std::int64_t>(c));
    if (parts[c] == 2 || rows[c].size() < 2) continue;
    shuffle(rows[c], seed);
    const auto held_out =
        std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(rows[c].size() / 5));
    partition.held_out.insert(partition.held_out.end(), rows[c].begin(),
                              rows[c].begin() + held_out);
  }
  std::sort(partition.held_out.begin(), partition.held_out.end());
  return partition;
}

}  // namespace

Mean mean_of(const std::vector<double>& values) {
  Mean m;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) m.mean += value / n;
  for (const double value : values) m.deviation += std::pow(value - m.mean, 2);
  m.deviation = values.size() > 1 ? std::sqrt(m.deviation / (n - 1)) : 0;
  return m;
}

std::vector<std::string> compared_methods() {
  std::vector<std::string> words;
  for (const Form& form : all_forms(""))
    if (words.empty() || words.back() != form.method) words.push_back(form.method);
  return words;
}

constexpr std::int64_t kMostPartitions = 10000;

std::vector<Partition> draw_partitions(const Dataset& data, std::int64_t count,
                                       std::uint64_t seed) {
  if (count < 1 || count > kMostPartitions)
    throw InputError("count", fmt::format("is {}; expected 1 to {}", count, kMostPartitions));
  const bzscr::Dataset& read = data.content().data;
  std::vector<Index> pool;
  for (std::size_t c = 0; c < read.class_names.size(); ++c)
    if (std::find(read.labels.begin(), read.labels.end(), static_cast<std::int32_t>(c)) !=
        read.labels.end())
      pool.push_back(static_cast<Index>(c));
  const std::size_t unseen = read.partition.unseen.size();
  constexpr std::size_t kFewestSeen = 4;  // of which two can be held out
  if (unseen < 2 || pool.size() < unseen + kFewestSeen)
    throw InputError(read.folder, fmt::format("has {} classes with samples, {} of them unseen; "
                                              "expected at least two unseen classes and {} others",
                                              pool.size(), unseen, kFewestSeen));
  std::vector<Partition> partitions;
  for (std::int64_t s = 0; s < count; ++s) {
    std::vector<Index> order = pool;
    shuffle(order, seed + static_cast<std::uint64_t>(s));
    Parts parts(read.class_names.size(), 0);
    for (std::size_t j = 0; j < unseen; ++j) parts[static_cast<std::size_t>(order[j])] = 2;
    partitions.push_back(partition_of(read, parts, seed));
  }
  return partitions;
}

std::vector<Partition> read_partitions(const Dataset& data, const std::string& file,
                                       std::uint64_t seed) {
  const std::size_t C = data.classes().size();
  const Matrix values = NpyFile(file).matrix();
  if (static_cast<std::size_t>(values.cols()) != C || values.rows() == 0)
    throw InputError(
        file, fmt::format("is {} x {}; expected one row per split and {} columns, one per class",
                          values.rows(), values.cols(), C));
  std::vector<Partition> partitions;
  for (Index s = 0; s < values.rows(); ++s) {
    Parts parts;
    for (Index c = 0; c < values.cols(); ++c) {
      const double value = values(s, c);
      if (value != 0 && value != 1 && value != 2)
        throw InputError(Place{file, s, c}, fmt::format("is {}", value),
                         "0 (training), 1 (validation) or 2 (unseen)");
      parts.push_back(static_cast<std::uint8_t>(value));
    }
    for (const int part : {0, 1, 2})
      if (std::count(parts.begin(), parts.end(), part) < 2)
        throw InputError(Place{file, s},
                         fmt::format("has fewer than two classes that are {}", part),
                         "at least two of 0, 1 and 2 each");
    partitions.push_back(partition_of(data.content().data, parts, seed));
  }
  return partitions;
}

Comparison compare(const Dataset& data, const std::vector<Partition>& partitions,
                   const CompareOptions& options, const Context& context,
                   const ComparedEvent& done) {
  std::vector<Form> forms = asked_forms(options.methods, data.divergence());
  Comparison comparison;
  comparison.asked_forms = forms.size();
  for (const Form& form : forms) {
    ComparedForm& row = comparison.forms.emplace_back();
    row.method = form.method;
    row.form = form.name;
    row.splits.resize(partitions.size());
  }
  std::vector<bzscr::Partition> checked;
  for (const Partition& each : partitions) {
    checked.push_back(training_partition(data, each));
    if (checked.back().unseen.size() < 2)
      throw InputError(data.path(),
                       "has fewer than two unseen classes to compare on; expected two or more, or "
                       "a file of class splits");
  }

  // Methods and splits run in parallel, each on its share of the threads.
  const std::size_t all = forms.size() * partitions.size();
  Execution execution = execution_of(context);
  const int threads = thread_count(execution);
  reserve_blas_buffers(threads);
  const int workers =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), all));
  execution.threads = std::max(1, threads / workers);
  std::vector<std::vector<bool>> finished(forms.size(),
                                          std::vector<bool>(partitions.size(), false));
  std::mutex mutex;
  std::vector<double> parts(all, 0);  // that are done of each method on each split
  Events& events = events_of(context);
  const auto progress = [&] {
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    events.progress(sum / static_cast<double>(all));
  };
  for (const Form& form : forms) settings_of(form, options.fit);  // refused before anything runs
  events.phase("comparing");
  run_side_by_side(all, workers, [&](std::size_t i) {
    const std::size_t s = i / forms.size(), f = i % forms.size();
    if (context.stop && context.stop()) return;
    std::optional<Measures> at =
        measure(forms[f], data, checked[s], options.fit, execution, context.stop, [&](double part) {
          const std::lock_guard<std::mutex> lock(mutex);
          parts[i] = std::max(parts[i], part);
          progress();
        });
    if (!at) return;
    const std::lock_guard<std::mutex> lock(mutex);
    ComparedForm& form = comparison.forms[f];
    form.splits[s] = std::move(*at);
    finished[f][s] = true;
    parts[i] = 1;
    if (done)
      done(form, s, form.splits[s],
           std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(all));
    progress();
  });

  expect_whole_features(data.content().data);
  keep_finished(comparison, forms, finished);
  if (comparison.forms.empty()) return comparison;
  mark_the_better_forms(comparison.forms);
  rank(comparison.forms, forms);
  if (comparison.forms.front().method == "bzscr")
    for (ComparedForm& form : comparison.forms) compare_with(comparison.forms.front(), form);
  return comparison;
}

}  // namespace bzscr::train
