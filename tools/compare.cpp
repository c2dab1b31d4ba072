// bzscr-compare: BZ-SCR beside the methods it is compared with, on classes without training
// samples.

#include "support/cli_support.h"
#include "support/command_line.h"
#include "support/progress_bar.h"

#include "bzscr_train/error.hpp"
#include "baselines/bilinear.h"
#include "baselines/methods.h"
#include "cli/libraries.h"
#include "core/metrics.h"
#include "data/dataset.h"
#include "data/formats/npy_file.h"
#include "export/describe_model.h"
#include "geometry/divergence.h"
#include "solver/boost.h"
#include "tuning/calibration.h"
#include "tuning/folds.h"
#include "tuning/tune.h"
#include "tuning/tune_baseline.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using nlohmann::ordered_json;

constexpr const char* kIntroduction =
    "Trains BZ-SCR and the methods it is compared with on a data set, and tells how each does on "
    "classes without\n"
    "training samples. What a method can be told is chosen on validation classes, never on unseen "
    "ones.\n";

constexpr const char* kEpilogue =
    "\n"
    "COLUMNS\n"
    "  rank        mean over the splits of the rank by error rate among the methods of the paper's "
    "table\n"
    "  error       share of samples of unseen classes told wrong among the unseen classes\n"
    "  mean Delta  how far off the errors are, by the divergence\n"
    "  per class   accuracy within each unseen class, averaged\n"
    "  S, U, H     seen and unseen classes compete: accuracy of samples held out of seen classes, "
    "of unseen ones, their\n"
    "              harmonic mean; then the same with the penalty of seen classes that was chosen "
    "on held-out samples and\n"
    "              validation classes\n"
    "  AUSUC       the area under U as a function of S, over all penalties\n"
    "  seconds     to choose and to train; methods and splits run side by side, each on its share "
    "of the threads\n"
    "\n"
    "METHODS\n"
    "  bzscr, boosting, sje, ale, nr, cca   those of the paper's table. sje and ale are trained "
    "with the divergence and\n"
    "                                       with 0-1, and the better one counts, as in the paper; "
    "of cca likewise the\n"
    "                                       cosine and the bilinear form that a model file can "
    "hold\n"
    "  devise, eszsl, ridge                 beyond it; ridge: regression on the embeddings, "
    "compared by cosine\n"
    "\n"
    "Examples:\n"
    "  bzscr-compare data/caltech --embedding hypernyms --splits 10\n"
    "  bzscr-compare data/awa24 --embedding attributes --splits data/awa24/class_splits20.npy "
    "--markdown\n"
    "  bzscr-compare data/awa24 --embedding attributes,word2vec --methods bzscr,eszsl --json\n"
    "  bzscr-compare data/caltech --embedding glove --splits 10 --methods bzscr --beta 0 --ridge "
    "0\n"
    "\n"
    "Exit codes: 0 done, 2 wrong input or options.";

struct Options {
  std::string data, embedding, divergence, wordnet, splits;
  std::vector<std::string> methods;
  MissingValues missing = MissingValues::kRefuse;
  Scalings scalings;
  std::optional<double> beta;
  double ridge = kDefaultRidge;
  Index folds = 1;
  std::uint64_t seed = 1;
  bool average = false;
  int threads = 0;
  bool json = false, markdown = false, quiet = false;
};

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// ---- methods ----

/// One row of the table may have two forms of a method, of which the better one counts.
struct Form {
  std::string method;                  ///< "sje"
  std::string name;                    ///< "wordnet", "zero-one"; empty where there is only one
  bool of_paper;                       ///< in the paper's table, hence ranked
  bool select_samples = false;         ///< of bzscr
  std::optional<Baseline> baseline{};  ///< empty: bzscr or boosting
  bool zero_one = false;
};

std::vector<Form> all_forms(const std::string& divergence) {
  return {{"bzscr", "", true, true},
          {"boosting", "", true, false},
          {"sje", divergence, true, false, Baseline::kSje},
          {"sje", "zero-one", true, false, Baseline::kSje, true},
          {"ale", divergence, true, false, Baseline::kAle},
          {"ale", "zero-one", true, false, Baseline::kAle, true},
          {"nr", "", true, false, Baseline::kNr},
          {"cca", "cosine", true, false, Baseline::kCcaCosine},
          {"cca", "bilinear", true, false, Baseline::kCca},
          {"devise", "", false, false, Baseline::kDevise},
          {"eszsl", "", false, false, Baseline::kEszsl},
          {"ridge", "", false, false, Baseline::kRidge}};
}

std::vector<Form> asked_forms(const Options& options, const std::string& divergence) {
  std::vector<Form> forms;
  for (const Form& form : all_forms(divergence)) {
    const bool asked = options.methods.empty() ||
                       std::find(options.methods.begin(), options.methods.end(), form.method) !=
                           options.methods.end();
    if (asked && !(form.zero_one && divergence == "zero-one")) forms.push_back(form);
  }
  return forms;
}

std::vector<std::string> method_words() {
  std::vector<std::string> words;
  for (const Form& form : all_forms(""))
    if (words.empty() || words.back() != form.method) words.push_back(form.method);
  return words;
}

/// A trained method: scores of samples among the classes of a problem.
struct Learned {
  std::string setting;  ///< in words
  double validation_error = 1;
  BaselineModel model;  ///< W of BZ-SCR, too
};

/// What a method is told, chosen on validation classes, and how it then learns a problem.
class Method {
 public:
  Method(const Form& form, const Options& options, const Dataset& data, const Matrix& Delta)
      : form_(form), options_(options), data_(data), Delta_(Delta) {
    if (form.baseline)
      choose_setting();
    else
      choose_nu_and_beta();
  }

  Origin origin() const { return form_.baseline ? Origin::kTransform : Origin::kMean; }
  const std::string& setting() const { return words_; }
  double validation_error() const { return validation_error_; }

  BaselineModel learn(const Problem& problem) const {
    if (form_.baseline) return *learn_one(*form_.baseline, problem, setting_, baseline_config());
    Observer silent;
    const Trained trained = boost_refined(problem, feature_spectrum(problem.X), boost_,
                                          fresh_start(problem, boost_), silent);
    BaselineModel model;
    const Ensemble& e = trained.ensemble;
    model.W = e.U * e.w.asDiagonal() * e.V.transpose();
    return model;
  }

 private:
  BaselineConfig baseline_config() const { return {options_.average, options_.seed, {}}; }

  void choose_setting() {
    const BaselineTuning tuning{
        std::vector<std::optional<double>>(baseline_method(*form_.baseline).parameters.size()),
        baseline_config(), options_.scalings, options_.folds};
    const TunedBaseline tuned = tune_baseline(data_, data_.partition, Delta_, *form_.baseline, tuning);
    setting_ = tuned.best;
    validation_error_ = tuned.validation_error;
    for (std::size_t j = 0; j < setting_.size(); ++j)
      words_ += fmt::format("{}{} {:g}", j == 0 ? "" : ", ",
                            baseline_method(*form_.baseline).parameters[j].name, setting_[j]);
  }

  void choose_nu_and_beta() {
    struct Silent : TuningObserver {
      void grid_point(const GridPoint&, Index, Index) override {}
    } silent;
    boost_.select_samples = form_.select_samples;
    boost_.ridge = options_.ridge;
    const TuningConfig tuning{boost_,         std::nullopt, options_.beta, options_.scalings,
                              options_.folds, options_.seed};
    const Tuned tuned = tune(data_, data_.partition, Delta_, tuning, silent);
    boost_.nu = tuned.best.nu;
    boost_.beta = tuned.best.beta;
    validation_error_ = tuned.best.validation_error;
    words_ = fmt::format("nu {:g}, beta {:g}", boost_.nu, boost_.beta) +
             (boost_.ridge > 0 ? fmt::format(", ridge {:g}", boost_.ridge) : "");
  }

  const Form& form_;
  const Options& options_;
  const Dataset& data_;
  const Matrix& Delta_;
  Setting setting_;
  BoostConfig boost_;
  double validation_error_ = 1;
  std::string words_;
};

// ---- one method on one split ----

struct Measures {
  std::string setting;
  double validation_error = 0;
  double error_rate = 0, mean_delta = 0, per_class_top1 = 0;
  bool joint = false;  ///< there are held-out samples of seen classes
  SeenUnseen plain, calibrated;
  double penalty = 0, ausuc = 0;
  double seconds = 0;
  std::optional<std::size_t> model_bytes;  ///< nothing where no model file can hold it
};

std::size_t bytes_of_model(const Dataset& data, const SplitProblem& split, const Options& options,
                           const BaselineModel& model) {
  ModelFile file = describe_model(data, data.partition, options.scalings.features, options.scalings.embeddings,
                                  split.transform.centre);
  file.ensemble = split.lift(weak_models(model.W));
  return file.ensemble.w.size() == 0 ? 0 : serialise_model(file).size();
}

std::vector<JointOutcome> outcomes_of(const BaselineModel& model, const Samples& X, const Labels& y,
                                      const Problem& problem) {
  std::vector<bool> seen(static_cast<std::size_t>(problem.classes()), false);
  std::fill_n(seen.begin(), problem.seen, true);
  const MatrixF F = scores(model, X, problem.Phi);
  std::vector<JointOutcome> outcomes;
  for (Index i = 0; i < F.rows(); ++i)
    outcomes.push_back(
        joint_outcome(y[static_cast<std::size_t>(i)], F.row(i).transpose().cast<double>(), seen));
  return outcomes;
}

double chosen_penalty(const Method& method, const Dataset& data, const Matrix& Delta,
                      const Options& options) {
  std::vector<std::vector<JointOutcome>> folds;
  for (const ClassSplit& classes : validation_splits(data, data.partition, options.folds, options.seed)) {
    const CalibrationFold fold =
        calibration_fold(data, data.partition, Delta, classes, options.scalings, options.seed, method.origin());
    folds.push_back(
        outcomes_of(method.learn(fold.split.problem), fold.X, fold.y, fold.split.problem));
  }
  return choose_penalty(folds).penalty;
}

/// Samples held out of seen classes, labelled by place among them.
Samples held_out(const Dataset& data, const SplitProblem& split, const Scalings& scalings,
                 Labels& y) {
  std::vector<std::int32_t> place(data.class_names.size(), -1);
  for (std::size_t c = 0; c < split.classes.seen.size(); ++c)
    place[static_cast<std::size_t>(split.classes.seen[c])] = static_cast<std::int32_t>(c);
  for (const Index row : data.partition.held_out)
    y.push_back(place[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(row)])]);
  return samples_at(data, data.partition.held_out, scalings.features);
}

Measures measure(const Form& form, const Dataset& data, const Matrix& Delta,
                 const Options& options) {
  const double start = clock_seconds();
  const Matrix learning_Delta = form.zero_one ? zero_one_divergence(Delta.rows()) : Delta;
  const Method method(form, options, data, learning_Delta);
  const SplitProblem split =
      split_problem(data, data.partition, learning_Delta, {seen_classes(data, data.partition), data.partition.unseen},
                    options.scalings, method.origin());
  const BaselineModel model = method.learn(split.problem);

  Measures at;
  at.setting = method.setting();
  at.validation_error = method.validation_error();
  const bool in_file = !form.baseline || baseline_method(*form.baseline).bilinear;
  if (in_file) at.model_bytes = bytes_of_model(data, split, options, model);
  if (!data.partition.held_out.empty())
    at.penalty = chosen_penalty(method, data, learning_Delta, options);
  at.seconds = clock_seconds() - start;

  const EvaluationSet unseen = unseen_evaluation_set(data, data.partition, split, options.scalings);
  const Labels best = best_classes(scores(model, unseen.X, unseen.Phi));
  at.error_rate = error_rate(unseen.y, best);
  at.mean_delta = mean_delta(unseen.y, best, Delta(data.partition.unseen, data.partition.unseen));
  at.per_class_top1 = per_class_accuracy(count_by_class(unseen.y, best, unseen.Phi.rows()));

  at.joint = !data.partition.held_out.empty();
  if (!at.joint) return at;
  Labels y;
  const Samples seen = held_out(data, split, options.scalings, y);
  std::vector<JointOutcome> outcomes = outcomes_of(model, seen, y, split.problem);
  Labels y_unseen = unseen.y;
  for (std::int32_t& r : y_unseen) r += static_cast<std::int32_t>(split.problem.seen);
  const std::vector<JointOutcome> others = outcomes_of(model, unseen.X, y_unseen, split.problem);
  outcomes.insert(outcomes.end(), others.begin(), others.end());
  const SeenUnseenCurve curve = seen_unseen_curve(outcomes);
  at.plain = accuracy_at(curve, 0);
  at.calibrated = accuracy_at(curve, at.penalty);
  at.ausuc = area_under(curve);
  return at;
}

// ---- splits ----

/// Which class plays which part, for each split: 0 trains, 1 validates, 2 is unseen.
using Parts = std::vector<std::uint8_t>;

std::vector<Parts> read_splits(const std::string& path, std::size_t classes) {
  const Matrix values = NpyFile(path).matrix();
  if (static_cast<std::size_t>(values.cols()) != classes || values.rows() == 0)
    throw InputError(
        path, fmt::format("is {} x {}; expected a row for each split and {} columns, one a class",
                          values.rows(), values.cols(), classes));
  std::vector<Parts> splits;
  for (Index s = 0; s < values.rows(); ++s) {
    Parts parts;
    for (Index c = 0; c < values.cols(); ++c) {
      const double value = values(s, c);
      if (value != 0 && value != 1 && value != 2)
        throw InputError(
            path,
            fmt::format("row {}, column {} is {}; expected 0 (trains), 1 (validates) or 2 (unseen)",
                        s, c, value));
      parts.push_back(static_cast<std::uint8_t>(value));
    }
    for (const int part : {0, 1, 2})
      if (std::count(parts.begin(), parts.end(), part) < 2)
        throw InputError(path, fmt::format("row {} has fewer than two classes that are {}; "
                                           "expected at least two of 0, 1 and 2 each",
                                           s, part));
    splits.push_back(std::move(parts));
  }
  return splits;
}

/// As many validation and unseen classes as the data set names, drawn anew among those with
/// samples.
std::vector<Parts> draw_splits(const Dataset& data, Index count, std::uint64_t seed) {
  std::vector<Index> pool;
  for (std::size_t c = 0; c < data.class_names.size(); ++c)
    if (std::find(data.labels.begin(), data.labels.end(), static_cast<std::int32_t>(c)) !=
        data.labels.end())
      pool.push_back(static_cast<Index>(c));
  const std::size_t unseen = data.partition.unseen.size();
  const std::size_t validation = data.partition.validation_folds.empty()
                                     ? std::max<std::size_t>(2, (pool.size() - unseen) / 5)
                                     : data.partition.validation_folds.front().size();
  if (unseen < 2 || pool.size() < unseen + validation + 2)
    throw InputError(data.folder, fmt::format("has {} classes with samples, {} of them unseen; "
                                              "expected at least two unseen ones, and two to train "
                                              "on beside {} to choose on",
                                              pool.size(), unseen, validation));
  std::vector<Parts> splits;
  for (Index s = 0; s < count; ++s) {
    std::vector<Index> order = pool;
    shuffle(order, seed + static_cast<std::uint64_t>(s));
    Parts parts(data.class_names.size(), 0);
    for (std::size_t j = 0; j < unseen + validation; ++j)
      parts[static_cast<std::size_t>(order[j])] = j < unseen ? 2 : 1;
    splits.push_back(std::move(parts));
  }
  return splits;
}

/// The data set with other classes in the parts, and a fifth of the samples of each seen class held
/// out.
Dataset with_parts(const Dataset& data, const Parts& parts, std::uint64_t seed) {
  Dataset other = data;
  other.unseen_classes.clear();
  other.validation_folds.assign(1, {});
  std::vector<std::vector<Index>> rows(parts.size());
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    rows[static_cast<std::size_t>(data.labels[i])].push_back(static_cast<Index>(i));
  other.test_seen_rows.clear();
  for (std::size_t c = 0; c < parts.size(); ++c) {
    if (parts[c] == 2) other.unseen_classes.push_back(static_cast<Index>(c));
    if (parts[c] == 1) other.validation_folds[0].push_back(static_cast<Index>(c));
    if (parts[c] == 2 || rows[c].size() < 2) continue;
    shuffle(rows[c], seed);
    other.test_seen_rows.insert(
        other.test_seen_rows.end(), rows[c].begin(),
        rows[c].begin() +
            std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(rows[c].size() / 5)));
  }
  std::sort(other.test_seen_rows.begin(), other.test_seen_rows.end());
  return other;
}

// ---- the table ----

struct Mean {
  double mean = 0, deviation = 0;  ///< sample standard deviation; 0 of one value
};

template <class Value>
Mean mean_of(const std::vector<Measures>& all, Value value) {
  Mean m;
  for (const Measures& each : all) m.mean += value(each) / static_cast<double>(all.size());
  for (const Measures& each : all) m.deviation += std::pow(value(each) - m.mean, 2);
  m.deviation = all.size() > 1 ? std::sqrt(m.deviation / static_cast<double>(all.size() - 1)) : 0;
  return m;
}

struct Row {
  const Form* form;
  std::vector<Measures> splits;
  bool counts = true;  ///< the better of its method's forms
  double rank = 0;     ///< among those of the paper; 0: not ranked
};

double error_of(const Measures& at) { return at.error_rate; }

void mark_the_better_forms(std::vector<Row>& rows) {
  for (Row& row : rows)
    for (const Row& other : rows)
      if (&row != &other && row.form->method == other.form->method) {
        const double own = mean_of(row.splits, error_of).mean,
                     theirs = mean_of(other.splits, error_of).mean;
        if (theirs < own || (theirs == own && &other < &row)) row.counts = false;
      }
}

/// Mean over the splits; equal error rates share their ranks.
void rank(std::vector<Row>& rows) {
  const auto ranked = [](const Row& row) { return row.counts && row.form->of_paper; };
  for (Row& row : rows) {
    if (!ranked(row)) continue;
    for (std::size_t s = 0; s < row.splits.size(); ++s) {
      double place = 1;
      for (const Row& other : rows) {
        if (&other == &row || !ranked(other)) continue;
        const double own = row.splits[s].error_rate, theirs = other.splits[s].error_rate;
        place += theirs < own ? 1 : theirs == own ? 0.5 : 0;
      }
      row.rank += place / static_cast<double>(row.splits.size());
    }
  }
}

/// A method less BZ-SCR, split by split.
struct Paired {
  Mean per_class;  ///< of the differences of per-class top-1
  Index better = 0, worse = 0;
};

Paired paired(const Row& row, const Row& reference) {
  Paired pair;
  std::vector<Measures> differences;
  for (std::size_t s = 0; s < row.splits.size(); ++s) {
    Measures difference;
    difference.per_class_top1 = row.splits[s].per_class_top1 - reference.splits[s].per_class_top1;
    pair.better += difference.per_class_top1 > 0;
    pair.worse += difference.per_class_top1 < 0;
    differences.push_back(difference);
  }
  pair.per_class = mean_of(differences, [](const Measures& at) { return at.per_class_top1; });
  return pair;
}

const Row* reference_of(const std::vector<Row>& rows) {
  return rows.front().form->method == "bzscr" && rows.size() > 1 ? &rows.front() : nullptr;
}

struct Column {
  const char* title;
  std::string (*text)(const Row&);
};

std::string number(const Mean& m, bool spread = false, int digits = 3) {
  const auto plain = [&](double value) {
    std::string text = fmt::format("{:.{}f}", value, digits);
    return text.rfind("0.", 0) == 0 ? text.substr(1) : text;
  };
  return plain(m.mean) + (spread && m.deviation > 0 ? "±" + plain(m.deviation) : "");
}

template <class Value>
std::string joint_number(const Row& row, Value value) {
  return row.splits.front().joint ? number(mean_of(row.splits, value)) : "-";
}

std::string name_of(const Row& row) {
  return row.form->method + (row.form->name.empty() ? "" : " (" + row.form->name + ")");
}

const Column kColumns[] = {
    {"method", [](const Row& row) { return name_of(row) + (row.counts ? "" : " *"); }},
    {"rank", [](const Row& row) { return row.rank > 0 ? fmt::format("{:.2f}", row.rank) : "-"; }},
    {"error", [](const Row& row) { return number(mean_of(row.splits, error_of)); }},
    {"mean Delta",
     [](const Row& row) {
       return number(mean_of(row.splits, [](const Measures& m) { return m.mean_delta; }));
     }},
    {"per class",
     [](const Row& row) {
       return number(mean_of(row.splits, [](const Measures& m) { return m.per_class_top1; }), true);
     }},
    {"S",
     [](const Row& row) {
       return joint_number(row, [](const Measures& m) { return m.plain.seen; });
     }},
    {"U",
     [](const Row& row) {
       return joint_number(row, [](const Measures& m) { return m.plain.unseen; });
     }},
    {"H",
     [](const Row& row) {
       return joint_number(row, [](const Measures& m) { return m.plain.harmonic(); });
     }},
    {"S cal.",
     [](const Row& row) {
       return joint_number(row, [](const Measures& m) { return m.calibrated.seen; });
     }},
    {"U cal.",
     [](const Row& row) {
       return joint_number(row, [](const Measures& m) { return m.calibrated.unseen; });
     }},
    {"H cal.",
     [](const Row& row) {
       return joint_number(row, [](const Measures& m) { return m.calibrated.harmonic(); });
     }},
    {"AUSUC",
     [](const Row& row) { return joint_number(row, [](const Measures& m) { return m.ausuc; }); }},
    {"seconds",
     [](const Row& row) {
       return fmt::format("{:.1f}",
                          mean_of(row.splits, [](const Measures& m) { return m.seconds; }).mean);
     }},
    {"bytes",
     [](const Row& row) {
       if (!row.splits.front().model_bytes) return std::string("-");
       return fmt::format("{:.0f}", mean_of(row.splits, [](const Measures& m) {
                                      return static_cast<double>(*m.model_bytes);
                                    }).mean);
     }},
};

void print_table(const std::vector<std::vector<std::string>>& cells, bool markdown) {
  std::vector<std::size_t> widths(cells.front().size(), 3);
  for (const auto& row : cells)
    for (std::size_t j = 0; j < row.size(); ++j)
      widths[j] = std::max(widths[j], cli::width_of(row[j]));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string line;
    for (std::size_t j = 0; j < cells[i].size(); ++j) {
      const std::string room(widths[j] - cli::width_of(cells[i][j]), ' ');
      const std::string cell = j == 0 ? cells[i][j] + room : room + cells[i][j];
      line += markdown ? "| " + cell + " " : (j == 0 ? "" : "  ") + cell;
    }
    fmt::print("{}{}\n", line, markdown ? "|" : "");
    if (!markdown || i > 0) continue;
    for (std::size_t j = 0; j < widths.size(); ++j)
      fmt::print("| {}{} ", std::string(widths[j] - 1, '-'), j == 0 ? "-" : ":");
    fmt::print("|\n");
  }
}

struct Study {
  std::string title;  ///< what was compared on what
  std::size_t splits;
  bool own_split;
  std::vector<Row> rows;
};

void print_study(const Study& study, bool markdown) {
  fmt::print("{}\n\n", study.title);
  std::vector<std::vector<std::string>> cells(1);
  for (const Column& column : kColumns) cells[0].push_back(column.title);
  for (const Row& row : study.rows) {
    cells.emplace_back();
    for (const Column& column : kColumns) cells.back().push_back(column.text(row));
  }
  print_table(cells, markdown);
  if (std::any_of(study.rows.begin(), study.rows.end(), [](const Row& row) { return !row.counts; }))
    fmt::print("\n{}* the other form has the lower error rate, and counts\n", markdown ? "\\" : "");
  const Row* reference = reference_of(study.rows);
  if (study.splits < 2 || reference == nullptr) return;
  fmt::print("\nPer-class accuracy against bzscr's, split by split:\n\n");
  cells.assign(1, {"method", "difference", "standard error", "better", "worse"});
  for (const Row& row : study.rows) {
    if (&row == reference) continue;
    const Paired pair = paired(row, *reference);
    cells.push_back({name_of(row), fmt::format("{:+.4f}", pair.per_class.mean),
                     fmt::format("{:.4f}", pair.per_class.deviation /
                                               std::sqrt(static_cast<double>(study.splits))),
                     fmt::format("{}", pair.better), fmt::format("{}", pair.worse)});
  }
  print_table(cells, markdown);
}

ordered_json as_json(const Mean& m) { return {{"mean", m.mean}, {"deviation", m.deviation}}; }

ordered_json as_json(const Row& row, const Row* reference) {
  const auto mean = [&](auto value) { return mean_of(row.splits, value).mean; };
  const bool joint = row.splits.front().joint;
  const auto joint_mean = [&](auto value) {
    return joint ? ordered_json(mean(value)) : ordered_json();
  };
  ordered_json json;
  json["method"] = row.form->method;
  json["form"] = row.form->name.empty() ? ordered_json() : ordered_json(row.form->name);
  json["mean_rank"] = row.rank > 0 ? ordered_json(row.rank) : ordered_json();
  json["error_rate"] = mean(error_of);
  json["mean_delta"] = mean([](const Measures& m) { return m.mean_delta; });
  const Mean per_class = mean_of(row.splits, [](const Measures& m) { return m.per_class_top1; });
  json["per_class_top1"] = per_class.mean;
  json["per_class_top1_deviation"] = per_class.deviation;
  json["gzsl_seen"] = joint_mean([](const Measures& m) { return m.plain.seen; });
  json["gzsl_unseen"] = joint_mean([](const Measures& m) { return m.plain.unseen; });
  json["gzsl_harmonic"] = joint_mean([](const Measures& m) { return m.plain.harmonic(); });
  json["gzsl_seen_calibrated"] = joint_mean([](const Measures& m) { return m.calibrated.seen; });
  json["gzsl_unseen_calibrated"] =
      joint_mean([](const Measures& m) { return m.calibrated.unseen; });
  json["gzsl_harmonic_calibrated"] =
      joint_mean([](const Measures& m) { return m.calibrated.harmonic(); });
  json["ausuc"] = joint_mean([](const Measures& m) { return m.ausuc; });
  json["seconds"] = mean([](const Measures& m) { return m.seconds; });
  json["model_bytes"] = row.splits.front().model_bytes ? ordered_json(mean([](const Measures& m) {
    return static_cast<double>(*m.model_bytes);
  }))
                                                       : ordered_json();
  if (reference != nullptr && reference != &row) {
    const Paired pair = paired(row, *reference);
    json["against_bzscr"] = {{"per_class_top1", as_json(pair.per_class)},
                             {"better", pair.better},
                             {"worse", pair.worse}};
  }
  json["splits"] = ordered_json::array();
  for (const Measures& m : row.splits)
    json["splits"].push_back(
        {{"setting", m.setting},
         {"validation_error", m.validation_error},
         {"error_rate", m.error_rate},
         {"mean_delta", m.mean_delta},
         {"per_class_top1", m.per_class_top1},
         {"gzsl_harmonic", joint ? ordered_json(m.plain.harmonic()) : ordered_json()},
         {"gzsl_harmonic_calibrated",
          joint ? ordered_json(m.calibrated.harmonic()) : ordered_json()},
         {"penalty", m.penalty},
         {"ausuc", joint ? ordered_json(m.ausuc) : ordered_json()},
         {"seconds", m.seconds}});
  return json;
}

// ---- the program ----

std::optional<int> parse_options(int argc, char** argv, Options& o) {
  CLI::App app(kIntroduction, "bzscr-compare");
  app.footer(std::string(kDatasetHelp) + kEpilogue);
  app.set_version_flag("--version", "bzscr-compare " BZSCR_VERSION)
      ->description("print the version");
  app.get_formatter()->column_width(34);
  app.add_option("DATA", o.data, "data set: a folder or an archive")->required();
  app.add_option("--splits", o.splits,
                 "N: that many random splits of the classes into training, validation and unseen "
                 "ones, as many of each as the data set names; "
                 "FILE.npy: a row for each split, with 0 (trains), 1 (validates) or 2 (unseen) for "
                 "each class; default: the data set's own split")
      ->type_name("N|FILE.npy");
  app.add_option("--methods", o.methods,
                 "only these, with commas between; see METHODS; default: all")
      ->delimiter(',')
      ->check(cli::one_of(method_words()));
  app.add_option(
         "--embedding", o.embedding,
         "class embedding: NAME, or NAME,NAME to join several; needed where there are several")
      ->type_name("NAME[,NAME...]");
  cli::add_choice<MissingValues>(
      app, "--missing", o.missing, missing_value_words(),
      "what becomes of an embedding's -1 where no other value is negative; default refuse");
  app.add_option("--divergence", o.divergence,
                 "how far apart classes are, as bzscr-train takes it; default: the data set's own, "
                 "else cosine")
      ->type_name("cosine|wordnet|zero-one|FILE.npy");
  app.add_option("--wordnet", o.wordnet, "folder of WordNet 3.0's database files")
      ->type_name("DIR");
  cli::add_choice<FeatureScaling>(
      app, "--feature-scaling", o.scalings.features,
      {{"none", FeatureScaling::kNone}, {"unit", FeatureScaling::kUnit}}, "default unit");
  cli::add_choice<EmbeddingScaling>(app, "--embedding-scaling", o.scalings.embeddings,
                                    {{"none", EmbeddingScaling::kNone},
                                     {"unit", EmbeddingScaling::kUnit},
                                     {"centre-unit", EmbeddingScaling::kCentreUnit}},
                                    "default centre-unit");
  app.add_flag("--average", o.average,
               "sje, ale, devise: the mean of all iterates instead of the last");
  app.add_option(
         "--beta", o.beta,
         "bzscr, boosting: weight of the semantic correlation term, from 0 (off); default: chosen")
      ->type_name("X");
  app.add_option(
         "--ridge", o.ridge,
         fmt::format(
             "bzscr, boosting: of |W|^2 / 2, beside nu; 0: the paper's objective; default {:g}",
             kDefaultRidge))
      ->type_name("X");
  app.add_option("--folds", o.folds,
                 "class folds to choose on, where the data set names none, 1 to 5; default 1")
      ->type_name("N");
  app.add_option("--seed", o.seed, "of splits, folds, held-out samples and methods; default 1")
      ->type_name("N");
  app.add_option("--threads", o.threads, "default 0: one per core")->type_name("N");
  app.add_flag("--markdown", o.markdown, "print Markdown");
  app.add_flag("--json", o.json, "print one JSON object, and nothing else, on standard output");
  app.add_flag("--quiet", o.quiet, "no progress");
  if (const auto code = cli::parse_command_line(app, argc, argv)) return code;
  BoostConfig config;
  config.ridge = o.ridge;
  config.beta = o.beta.value_or(config.beta);
  const std::string wrong = config.validate();
  if (!wrong.empty()) throw InputError(wrong);
  if (o.folds < 1 || o.folds > 5)
    throw InputError(fmt::format("--folds is {}; expected 1 to 5", o.folds));
  if (o.threads < 0 || o.threads > 1024)
    throw InputError(fmt::format("--threads is {}; expected 0 to 1024", o.threads));
  return std::nullopt;
}

/// The data set once for each split.
std::vector<Dataset> datasets_of(const Dataset& data, const Options& options) {
  if (options.splits.empty()) {
    if (data.partition.unseen.size() < 2)
      throw InputError(
          options.data,
          "names no two unseen classes to compare on; expected some, or --splits FILE.npy");
    return {data};
  }
  std::vector<Parts> splits;
  if (options.splits.find_first_not_of("0123456789") != std::string::npos) {
    splits = read_splits(options.splits, data.class_names.size());
  } else {
    const bool sane = options.splits.size() <= 4 && std::stoi(options.splits) >= 1;
    if (!sane)
      throw InputError(
          fmt::format("--splits is {}; expected 1 to 9999, or FILE.npy", options.splits));
    splits = draw_splits(data, std::stoi(options.splits), options.seed);
  }
  std::vector<Dataset> datasets;
  for (const Parts& parts : splits) datasets.push_back(with_parts(data, parts, options.seed));
  return datasets;
}

/// Every method on every split, each on its share of the threads.
void measure_all(Study& study, const std::vector<Dataset>& datasets, const Matrix& Delta,
                 const Options& options) {
  for (Row& row : study.rows) row.splits.resize(datasets.size());
  const std::size_t all = datasets.size() * study.rows.size();
  const int threads = omp_get_max_threads(),
            side_by_side =
                static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), all));
  cli::ProgressBar bar(!options.quiet);
  bar.begin("comparing");
  std::size_t done = 0;
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  omp_set_max_active_levels(2);  // and within a method blocks of samples
#pragma omp parallel for schedule(dynamic, 1) num_threads(side_by_side)
  for (std::size_t i = 0; i < all; ++i) try {
      if (failed) continue;
      omp_set_num_threads(std::max(1, threads / side_by_side));
      const std::size_t s = i / study.rows.size();
      Row& row = study.rows[i % study.rows.size()];
      Measures at = measure(*row.form, datasets[s], Delta, options);
#pragma omp critical(bzscr_compare)
      {
        bar.draw(static_cast<double>(++done) / static_cast<double>(all),
                 fmt::format("split {} of {}: {}", s + 1, datasets.size(), name_of(row)), true);
        if (!options.quiet && !bar.shown())
          fmt::print(stderr, "split {:>2}  {:<20} per class {:.3f}  error {:.3f}  {:.1f} s  {}\n",
                     s + 1, name_of(row), at.per_class_top1, at.error_rate, at.seconds, at.setting);
      }
      row.splits[s] = std::move(at);
    } catch (...) {  // none may leave a parallel region
      failed = true;
#pragma omp critical(bzscr_compare)
      failure = std::current_exception();
    }
  bar.end();
  if (failure) std::rethrow_exception(failure);
}

std::string title_of(const Options& options, const Dataset& data,
                     const std::vector<Dataset>& datasets, const std::string& divergence) {
  const Dataset& first = datasets.front();
  const std::size_t unseen = first.unseen_classes.size(), seen = data.class_names.size() - unseen;
  const std::string splits = options.splits.empty()
                                 ? "its own class split"
                                 : fmt::format("{} class splits", datasets.size());
  return fmt::format(
      "{}: {} of {} seen and {} unseen classes, embedding {} ({}), divergence {}{}", options.data,
      splits, seen, unseen, data.embedding_name, data.embeddings.cols(), divergence,
      datasets.size() > 1 ? "; means over the splits, ± their standard deviation" : "");
}

int run(int argc, char** argv) {
  Options options;
  if (const auto code = parse_options(argc, argv, options)) return *code;
  prepare_libraries(argv);
  if (options.threads > 0) omp_set_num_threads(options.threads);
  const Dataset data = read_dataset(
      options.data, {options.embedding, divergence_file(options.divergence), options.missing});
  const Divergence divergence = divergence_of(data, options.divergence, options.wordnet);
  for (const auto* notes : {&data.notes, &divergence.notes})
    for (const std::string& note : *notes) fmt::print(stderr, "bzscr-compare: note: {}\n", note);
  const std::vector<Dataset> datasets = datasets_of(data, options);

  const std::vector<Form> forms = asked_forms(options, divergence.name);
  Study study{title_of(options, data, datasets, divergence.name),
              datasets.size(),
              options.splits.empty(),
              {}};
  for (const Form& form : forms) study.rows.push_back({&form, {}});
  measure_all(study, datasets, divergence.Delta, options);
  mark_the_better_forms(study.rows);
  rank(study.rows);

  if (!options.json) {
    print_study(study, options.markdown);
    return 0;
  }
  ordered_json json = {{"data", options.data},
                       {"embedding", data.embedding_name},
                       {"divergence", divergence.name},
                       {"splits", datasets.size()},
                       {"own_split", study.own_split},
                       {"seed", options.seed},
                       {"average", options.average},
                       {"ridge", options.ridge},
                       {"methods", ordered_json::array()}};
  for (const Row& row : study.rows) {
    if (!row.counts) continue;
    json["methods"].push_back(as_json(row, reference_of(study.rows)));
    ordered_json& both = json["methods"].back()["forms"] = ordered_json::array();
    for (const Row& form : study.rows)
      if (form.form->method == row.form->method)
        both.push_back(as_json(form, reference_of(study.rows)));
  }
  fmt::print("{}\n", json.dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc, argv);
} catch (const bzscr::InputError& error) {
  fmt::print(stderr, "bzscr-compare: {}\n", error.what());
  return bzscr::cli::kExitBadInput;
} catch (const std::bad_alloc&) {
  fmt::print(stderr, "bzscr-compare: out of memory\n");
  return 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "bzscr-compare: {} (this is a bug)\n", error.what());
  return 1;
}
