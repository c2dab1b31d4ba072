// bzscr-eval: how well a model tells a data set's classes apart, scored by the runtime that devices
// link.

#include "support/cli_support.h"
#include "support/command_line.h"

#include <bzscr_train/error.hpp>
#include "core/feature_blocks.h"
#include "core/metrics.h"
#include "data/dataset.h"
#include "geometry/divergence.h"

#include <bzscr_rt/bzscr_rt.h>
#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/model_generated.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using namespace bzscr;

constexpr std::size_t kRanks = 5;

struct Options {
  std::string model, data, embedding, divergence, wordnet;
  std::string classes = "unseen";
  std::string storage = cli::kStorages[BZSCR_RT_STORAGE_FLOAT32];
  MissingValues missing = MissingValues::kRefuse;
  bool gzsl = false;
  bool json = false;
};

// ---- the runtime, with exceptions for its codes ----

void check(bzscr_rt_status status, const std::string& where) {
  if (status != BZSCR_RT_OK) throw InputError(where, bzscr_rt_status_text(status));
}

/// A model file, verified, with what it says about its training.
class ModelOnDisk {
 public:
  explicit ModelOnDisk(const std::string& path) : path_(path), file_(cli::read_aligned(path)) {
    const bzscr_rt_config minimal = config();
    std::size_t unused = 0;
    check(bzscr_rt_arena_bytes(&minimal, &unused),
          path);  // verifies the whole file: it may be read below
  }

  bzscr_rt_config config() const {
    bzscr_rt_config config{};
    config.struct_size = sizeof config;
    config.model = file_.bytes.get();
    config.model_bytes = file_.size;
    return config;
  }

  const std::string& path() const { return path_; }
  const format::Model& content() const {
    return *format::GetModel(format::GetEnvelope(file_.bytes.get())->payload()->data());
  }
  std::string recorded(const flatbuffers::String* (format::Training::*field)() const) const {
    const format::Training* training = content().training();
    const flatbuffers::String* text = training == nullptr ? nullptr : (training->*field)();
    return text == nullptr ? std::string() : text->str();
  }
  bool trained_on(const Dataset& data) const {
    const format::Training* training = content().training();
    return training != nullptr && training->data_hash() != nullptr &&
           std::equal(data.hash.begin(), data.hash.end(), training->data_hash()->begin(),
                      training->data_hash()->end());
  }

 private:
  std::string path_;
  cli::AlignedFile file_;
};

// ---- what is scored ----

/// Classes that compete, and the samples of theirs that are scored.
struct Trial {
  std::vector<Index> classes;  ///< rows of the data set's classes, rising
  std::vector<Index> rows;     ///< of its features, rising
  std::string description;     ///< "unseen", "validation", "seen", "seen and unseen"
};

bool is_seen(const Dataset& data, Index r) {
  return !std::binary_search(data.partition.unseen.begin(), data.partition.unseen.end(), r);
}

/// All samples of the classes; of seen classes altogether, only those that no training touched.
Trial choose_trial(const Dataset& data, const std::string& which) {
  Trial trial;
  trial.description = which;
  if (which == "seen") {
    if (data.partition.held_out.empty())
      throw InputError(
          data.folder,
          "names no test_seen rows, so no sample of a seen class was kept from training");
    trial.classes = seen_classes(data, data.partition);
    trial.rows = data.partition.held_out;
    return trial;
  }
  if (which == "unseen")
    trial.classes = data.partition.unseen;
  else if (!data.partition.validation_folds.empty())
    trial.classes = data.partition.validation_folds.front();
  if (trial.classes.empty())
    throw InputError(data.folder, fmt::format("names no {} classes", which));
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    if (std::binary_search(trial.classes.begin(), trial.classes.end(), Index{data.labels[i]}))
      trial.rows.push_back(static_cast<Index>(i));
  if (trial.rows.empty())
    throw InputError(data.folder, fmt::format("has no sample of any {} class", which));
  return trial;
}

/// All classes compete: samples of unseen classes, and those of seen classes that no training
/// touched.
Trial joint_trial(const Dataset& data) {
  const Trial seen = choose_trial(data, "seen"), unseen = choose_trial(data, "unseen");
  Trial trial{{}, {}, "seen and unseen"};
  std::merge(seen.classes.begin(), seen.classes.end(), unseen.classes.begin(), unseen.classes.end(),
             std::back_inserter(trial.classes));
  std::merge(seen.rows.begin(), seen.rows.end(), unseen.rows.begin(), unseen.rows.end(),
             std::back_inserter(trial.rows));
  return trial;
}

void check_dimensions(const ModelOnDisk& model, const Dataset& data) {
  const format::Model& content = model.content();
  if (content.feature_dimension() != data.features.columns)
    throw InputError(model.path(),
                     fmt::format("is for features of length {}, but those of {} have length {}",
                                 content.feature_dimension(), data.folder, data.features.columns));
  if (content.embedding_dimension() != data.embeddings.cols())
    throw InputError(
        model.path(),
        fmt::format("is for embeddings of length {}{}, but '{}' of {} has length {}",
                    content.embedding_dimension(),
                    model.recorded(&format::Training::embedding_name).empty()
                        ? ""
                        : fmt::format(" ('{}')", model.recorded(&format::Training::embedding_name)),
                    data.embedding_name, data.folder, data.embeddings.cols()));
  std::vector<Index> parts;
  if (const auto* lengths = content.transform()->embedding_parts())
    parts.assign(lengths->begin(), lengths->end());
  const bool scaled = content.transform()->embedding_scaling() != format::EmbeddingScaling::None;
  if (scaled && parts != data.embedding_parts)
    throw InputError(model.path(), fmt::format("is for embeddings joined from lengths [{}], but "
                                               "'{}' of {} is joined from [{}]; expected the same "
                                               "embeddings in the same order",
                                               fmt::join(parts, ", "), data.embedding_name,
                                               data.folder, fmt::join(data.embedding_parts, ", ")));
}

/// The divergence between the data set's classes: the kind asked for, else the one trained with.
Divergence divergence_for(const ModelOnDisk& model, const Dataset& data, const Options& options) {
  const std::string recorded = model.recorded(&format::Training::divergence);
  const std::string kind = !options.divergence.empty() ? options.divergence
                           : recorded.empty()          ? "cosine"
                                                       : recorded;
  const bool at_hand = !options.divergence.empty() || divergence_file(kind).empty() ||
                       (data.divergence && kind == "divergence.npy");
  if (!at_hand)
    throw InputError(
        model.path(),
        fmt::format(
            "was trained with the divergence of {}; name the file with --divergence FILE.npy",
            kind));
  return divergence_of(data, kind, options.wordnet);
}

Dataset read_data_for(const ModelOnDisk& model, const Options& options) {
  DatasetOptions choice;
  choice.embedding = options.embedding.empty() ? model.recorded(&format::Training::embedding_name)
                                               : options.embedding;
  choice.divergence_file = divergence_file(options.divergence);
  choice.missing = options.missing;
  return read_dataset(options.data, choice);
}

// ---- scoring ----

/// The runtime with exactly the classes of a trial in its table.
class Scorer {
 public:
  Scorer(const ModelOnDisk& model, const Dataset& data, const Trial& trial,
         bzscr_rt_storage storage)
      : config_(make_config(model, data, trial)) {
    config_.storage = storage;
    check(bzscr_rt_arena_bytes(&config_, &config_.arena_bytes), model.path());
    arena_ = cli::aligned_memory(config_.arena_bytes);
    config_.arena = arena_.get();
    check(bzscr_rt_open(&config_, &handle_), model.path());
    keep_only(data, trial);
    add_missing(data, trial);
  }

  /// Best classes first, as rows of the data set's classes; -1 past the end of a short table.
  Ranking rank(const Dataset& data, const Trial& trial) const;
  /// Of each sample, scored among classes that the model calls seen and others. Scores hold its
  /// penalty.
  std::vector<JointOutcome> joint_outcomes(const Dataset& data, const Trial& trial) const;

  bzscr_rt_info info() const {
    bzscr_rt_info info{};
    info.struct_size = sizeof info;
    check(bzscr_rt_describe(handle_, &info), "bzscr_rt_describe");
    return info;
  }
  const std::vector<std::string>& trained_classes() const {
    return trained_classes_;
  }  ///< of the trial
  const std::vector<std::string>& added_classes() const { return added_classes_; }

 private:
  /// Calls score(i, x, scratch) for all samples of a trial, in parallel. Throws InputError for the
  /// first row that it does not return BZSCR_RT_OK for.
  template <class Score>
  void each_sample(const Dataset& data, const Trial& trial, Score score) const;

  static bzscr_rt_config make_config(const ModelOnDisk& model, const Dataset& data,
                                     const Trial& trial) {
    std::size_t longest = 31;
    for (const auto* one : *model.content().classes())
      longest = std::max<std::size_t>(longest, one->name()->size());
    for (const Index r : trial.classes)
      longest = std::max(longest, data.class_names[static_cast<std::size_t>(r)].size());
    bzscr_rt_config config = model.config();
    config.class_capacity = std::max(model.content().classes()->size(),
                                     static_cast<std::uint32_t>(trial.classes.size()));
    config.name_bytes = static_cast<std::uint32_t>(longest + 1);
    return config;
  }

  void keep_only(const Dataset& data, const Trial& trial) {
    std::unordered_map<std::string, Index> wanted;
    for (const Index r : trial.classes)
      wanted.emplace(data.class_names[static_cast<std::size_t>(r)], r);
    std::vector<char> name(config_.name_bytes);
    for (std::uint32_t index = bzscr_rt_class_count(handle_);
         index-- > 0;) {  // from the end: removing moves the last one
      std::uint32_t id = 0;
      check(bzscr_rt_class_id(handle_, index, &id), "class");
      check(bzscr_rt_class_name(handle_, id, name.data(), name.size()), "class");
      used_ids_.insert(id);
      const auto found = wanted.find(name.data());
      if (found == wanted.end()) {
        check(bzscr_rt_remove_class(handle_, id), name.data());
        continue;
      }
      class_of_id_.emplace(id, static_cast<std::int32_t>(found->second));
      std::int32_t seen = 0;
      check(bzscr_rt_class_seen(handle_, id, &seen), name.data());
      if (seen != 0) trained_classes_.push_back(name.data());
    }
    std::reverse(trained_classes_.begin(), trained_classes_.end());
  }

  void add_missing(const Dataset& data, const Trial& trial) {
    std::set<std::int32_t> present;
    for (const auto& [id, r] : class_of_id_) present.insert(r);
    std::uint32_t id = 0;
    for (const Index r : trial.classes) {
      if (present.count(static_cast<std::int32_t>(r)) != 0) continue;
      while (used_ids_.count(id) != 0) ++id;
      used_ids_.insert(id);
      const std::string& name = data.class_names[static_cast<std::size_t>(r)];
      const VectorF phi = data.embeddings.row(r).cast<float>();
      check(bzscr_rt_set_class(handle_, id, name.c_str(), phi.data()),
            fmt::format("class '{}'", name));
      class_of_id_.emplace(id, static_cast<std::int32_t>(r));
      added_classes_.push_back(name);
    }
  }

  bzscr_rt_config config_;
  std::unique_ptr<std::uint8_t, cli::AlignedFile::Free> arena_;
  bzscr_rt* handle_ = nullptr;
  std::set<std::uint32_t> used_ids_;
  std::unordered_map<std::uint32_t, std::int32_t> class_of_id_;
  std::vector<std::string> trained_classes_, added_classes_;
};

template <class Score>
void Scorer::each_sample(const Dataset& data, const Trial& trial, Score score) const {
  const auto N = static_cast<Index>(trial.rows.size());
  const Samples samples{data.features, trial.rows, Vector::Ones(N)};
  Index failed_row = -1;
  bzscr_rt_status failure = BZSCR_RT_OK;
#pragma omp parallel
  {
    const auto scratch = cli::aligned_memory(bzscr_rt_scratch_bytes(handle_));
    FeatureBlocks<float> blocks(samples);
#pragma omp for schedule(static)
    for (Index i = 0; i < N; ++i) {
      const bzscr_rt_status status = score(i, blocks.read(i, 1).data(), scratch.get());
      if (status != BZSCR_RT_OK) {
#pragma omp critical
        if (failed_row < 0 || trial.rows[static_cast<std::size_t>(i)] < failed_row) {
          failed_row = trial.rows[static_cast<std::size_t>(i)];
          failure = status;
        }
      }
    }
  }
  if (failed_row >= 0)
    throw InputError(data.folder, fmt::format("features, row {}: {}", failed_row,
                                              bzscr_rt_status_text(failure)));
}

Ranking Scorer::rank(const Dataset& data, const Trial& trial) const {
  Ranking ranking = Ranking::Constant(static_cast<Index>(trial.rows.size()), kRanks, -1);
  each_sample(data, trial, [&](Index i, const float* x, void* scratch) {
    bzscr_rt_result results[kRanks];
    std::size_t count = 0;
    const bzscr_rt_status status = bzscr_rt_top(handle_, x, scratch, kRanks, results, &count);
    for (std::size_t rank = 0; rank < count; ++rank)
      ranking(i, static_cast<Index>(rank)) = class_of_id_.at(results[rank].id);
    return status;
  });
  return ranking;
}

std::vector<JointOutcome> Scorer::joint_outcomes(const Dataset& data, const Trial& trial) const {
  const std::size_t n = bzscr_rt_class_count(handle_);
  std::vector<std::int32_t> class_at;  // by index in the table
  std::vector<bool> seen;
  std::unordered_map<std::int32_t, std::int32_t> index_of;
  for (std::uint32_t index = 0; index < n; ++index) {
    std::uint32_t id = 0;
    std::int32_t is_seen = 0;
    check(bzscr_rt_class_id(handle_, index, &id), "class");
    check(bzscr_rt_class_seen(handle_, id, &is_seen), "class");
    class_at.push_back(class_of_id_.at(id));
    seen.push_back(is_seen != 0);
    index_of.emplace(class_at.back(), static_cast<std::int32_t>(index));
  }
  std::vector<JointOutcome> outcomes(trial.rows.size());
  each_sample(data, trial, [&](Index i, const float* x, void* scratch) {
    const std::int32_t truth =
        data.labels[static_cast<std::size_t>(trial.rows[static_cast<std::size_t>(i)])];
    VectorF scores(static_cast<Index>(n));
    std::size_t count = 0;
    const bzscr_rt_status status =
        bzscr_rt_score(handle_, x, scratch, n, scores.data(), nullptr, &count);
    if (status != BZSCR_RT_OK) return status;
    JointOutcome& outcome = outcomes[static_cast<std::size_t>(i)];
    outcome = joint_outcome(index_of.at(truth), scores.cast<double>(), seen);
    outcome.truth = truth;
    return status;
  });
  return outcomes;
}

/// The penalty belongs to the classes that the model calls seen: they must be the data set's.
void check_kinds(const Scorer& scorer, const ModelOnDisk& model, const Dataset& data) {
  const std::vector<std::string>& trained = scorer.trained_classes();
  for (std::size_t r = 0; r < data.class_names.size(); ++r) {
    const std::string& name = data.class_names[r];
    const bool seen = is_seen(data, static_cast<Index>(r));
    if (seen == (std::find(trained.begin(), trained.end(), name) != trained.end())) continue;
    throw InputError(model.path(), fmt::format("'{}' is {} the model, but {} class of {}; expected "
                                               "a model that was trained on this split",
                                               name, seen ? "no seen class of" : "a seen class of",
                                               seen ? "a seen" : "an unseen", data.folder));
  }
}

// ---- reporting ----

struct Result {
  Scores scores;
  std::vector<ClassCount> counts;  ///< by class of the data set
  double chance = 0.0;
  double agreement = 1.0;  ///< share of samples whose best class is that of float32
};

Result evaluate(const Scorer& scorer, const Ranking* exact, const Dataset& data, const Trial& trial,
                const Matrix& Delta) {
  Labels truth, best;
  for (const Index row : trial.rows) truth.push_back(data.labels[static_cast<std::size_t>(row)]);
  const Ranking ranking = scorer.rank(data, trial);
  for (Index i = 0; i < ranking.rows(); ++i) best.push_back(ranking(i, 0));
  Result result;
  result.scores = score_predictions(truth, ranking, Delta);
  result.counts = count_by_class(truth, best, Delta.rows());
  result.chance = 1.0 / static_cast<double>(trial.classes.size());
  if (exact != nullptr && ranking.rows() > 0)
    result.agreement =
        static_cast<double>((ranking.col(0).array() == exact->col(0).array()).count()) /
        static_cast<double>(ranking.rows());
  return result;
}

/// Seen and unseen classes side by side.
struct JointResult {
  double penalty = 0.0;
  SeenUnseen without, with;  ///< the penalty
  double ausuc = 0.0;
  std::vector<ClassCount> counts;  ///< by class of the data set, with it
};

JointResult evaluate_jointly(const Scorer& scorer, const Dataset& data, const Trial& trial) {
  const std::vector<JointOutcome> outcomes = scorer.joint_outcomes(data, trial);
  const SeenUnseenCurve curve = seen_unseen_curve(outcomes);
  JointResult result;
  result.penalty = scorer.info().seen_penalty;
  result.without = accuracy_at(curve, -result.penalty);
  result.with = accuracy_at(curve, 0);
  result.ausuc = area_under(curve);
  result.counts.resize(data.class_names.size());
  for (const JointOutcome& each : outcomes) {
    ClassCount& count = result.counts[static_cast<std::size_t>(each.truth)];
    ++count.samples;
    count.correct += each.right(0);
  }
  return result;
}

double accuracy(const ClassCount& count) {
  return static_cast<double>(count.correct) / static_cast<double>(count.samples);
}

nlohmann::ordered_json what_was_scored(const Options& options, const Dataset& data,
                                       const Trial& trial) {
  nlohmann::ordered_json out;
  out["model"] = options.model;
  out["data"] = options.data;
  out["embedding"] = data.embedding_name;
  out["evaluated"] = trial.description;
  return out;
}

nlohmann::ordered_json row_of(const std::string& name, const ClassCount& count) {
  nlohmann::ordered_json row;
  row["name"] = name;
  row["samples"] = count.samples;
  row["correct"] = count.correct;
  row["accuracy"] =
      count.samples > 0 ? nlohmann::ordered_json(accuracy(count)) : nlohmann::ordered_json();
  return row;
}

void print_json(const Options& options, const Dataset& data, const Trial& trial,
                const Scorer& scorer, const Result& result) {
  nlohmann::ordered_json out = what_was_scored(options, data, trial);
  out["samples"] = result.scores.samples;
  out["classes"] = trial.classes.size();
  out["classes_with_samples"] = result.scores.classes;
  out["error_rate"] = result.scores.error_rate;
  out["mean_delta"] = result.scores.mean_delta;
  out["per_class_top1"] = result.scores.per_class_top1;
  out["top5"] = result.scores.top5;
  out["chance"] = result.chance;
  out["storage"] = options.storage;
  out["same_best_class_as_float32"] = result.agreement;
  out["classes_added"] = scorer.added_classes().size();
  out["classes_trained_on"] = scorer.trained_classes().size();
  auto& per_class = out["per_class"] = nlohmann::ordered_json::array();
  for (const Index r : trial.classes)
    per_class.push_back(row_of(data.class_names[static_cast<std::size_t>(r)],
                               result.counts[static_cast<std::size_t>(r)]));
  fmt::print("{}\n", out.dump(2));
}

void print_joint_json(const Options& options, const Dataset& data, const Trial& trial,
                      const JointResult& result) {
  nlohmann::ordered_json out = what_was_scored(options, data, trial);
  out["samples"] = trial.rows.size();
  out["classes"] = trial.classes.size();
  out["seen_penalty"] = result.penalty;
  out["gzsl_seen"] = result.without.seen;
  out["gzsl_unseen"] = result.without.unseen;
  out["gzsl_harmonic"] = result.without.harmonic();
  out["gzsl_seen_calibrated"] = result.with.seen;
  out["gzsl_unseen_calibrated"] = result.with.unseen;
  out["gzsl_harmonic_calibrated"] = result.with.harmonic();
  out["ausuc"] = result.ausuc;
  auto& per_class = out["per_class"] = nlohmann::ordered_json::array();
  for (const Index r : trial.classes) {
    per_class.push_back(row_of(data.class_names[static_cast<std::size_t>(r)],
                               result.counts[static_cast<std::size_t>(r)]));
    per_class.back()["seen"] = is_seen(data, r);
  }
  fmt::print("{}\n", out.dump(2));
}

void print_heading(const Options& options, const ModelOnDisk& model, const Dataset& data,
                   const Trial& trial, const Scorer& scorer) {
  const bzscr_rt_info info = scorer.info();
  fmt::print("model      {}{}\n", options.model,
             model.trained_on(data) ? "" : ", trained on other data or settings of it");
  fmt::print("data       {}: {} samples, {} {} classes, embedding '{}'\n", options.data,
             trial.rows.size(), trial.classes.size(), trial.description, data.embedding_name);
  fmt::print("           {}\n", describe(split_of(data)));
  fmt::print("scored by  bzscr_rt {} ({}, {}, {})\n\n", bzscr_rt_version(), info.form_name,
             info.storage_name, info.kernel_name);
}

void print_classes(const Dataset& data, const Trial& trial, const std::vector<ClassCount>& counts) {
  std::size_t width = 5;
  for (const Index r : trial.classes)
    width = std::max(width, cli::width_of(data.class_names[static_cast<std::size_t>(r)]));
  fmt::print("class{:{}}  samples  correct  accuracy\n", "", width - 5);
  for (const Index r : trial.classes) {
    const std::string& name = data.class_names[static_cast<std::size_t>(r)];
    const ClassCount& count = counts[static_cast<std::size_t>(r)];
    fmt::print("{}{:{}}  {:7}  {:7}  {:>8}{}\n", name, "", width - cli::width_of(name),
               count.samples, count.correct,
               count.samples > 0 ? fmt::format("{:.4f}", accuracy(count)) : "-",
               trial.description == "seen and unseen" && !is_seen(data, r) ? "  unseen" : "");
  }
}

void print_text(const Dataset& data, const Trial& trial, const Scorer& scorer,
                const Result& result) {
  const Scores& scores = result.scores;
  fmt::print("error rate                   {:.4f}\n", scores.error_rate);
  fmt::print("mean Delta                   {:.4f}\n", scores.mean_delta);
  fmt::print("top-1, averaged per class    {:.4f}   chance {:.4f}\n", scores.per_class_top1,
             result.chance);
  fmt::print("top-5, averaged per sample   {:.4f}\n", scores.top5);
  if (scorer.info().storage != BZSCR_RT_STORAGE_FLOAT32)
    fmt::print("same best class as float32   {:.4f}\n", result.agreement);
  fmt::print("\n");
  print_classes(data, trial, result.counts);
}

void print_joint_text(const Dataset& data, const Trial& trial, const JointResult& result) {
  const auto line = [](const char* what, double without, double with) {
    fmt::print("{:<34} {:8.4f} {:8.4f}\n", what, without, with);
  };
  fmt::print("{:<34} {:>8} {:>8}   the penalty of {:g} off seen classes\n",
             "top-1, averaged per class", "without", "with", result.penalty);
  line("  seen classes, S", result.without.seen, result.with.seen);
  line("  unseen classes, U", result.without.unseen, result.with.unseen);
  line("  harmonic mean, H", result.without.harmonic(), result.with.harmonic());
  fmt::print("{:<34} {:8.4f}\n\nWith the penalty:\n", "area under S and U, AUSUC", result.ausuc);
  print_classes(data, trial, result.counts);
}

/// What the reader of the figures should know; not on standard output, which may be for a program.
void print_notes(const Dataset& data, const Divergence& divergence, const Trial& trial,
                 const Scorer& scorer) {
  for (const auto* notes : {&data.notes, &divergence.notes})
    for (const std::string& note : *notes) fmt::print(stderr, "bzscr-eval: note: {}\n", note);
  const bool zero_shot = trial.description == "unseen" || trial.description == "validation";
  if (const auto& names = scorer.trained_classes(); zero_shot && !names.empty())
    fmt::print(stderr,
               "bzscr-eval: note: the model was trained on samples of {} of these {} classes, so "
               "the figures are not zero-shot: {}\n",
               names.size(), trial.classes.size(), fmt::join(names, ", "));
  if (const auto& names = scorer.added_classes(); !names.empty())
    fmt::print(stderr,
               "bzscr-eval: note: added from the data set, as the model does not hold them: {}\n",
               fmt::join(names, ", "));
}

bzscr_rt_storage storage_of(const Options& options) {
  return static_cast<bzscr_rt_storage>(
      std::find(std::begin(cli::kStorages), std::end(cli::kStorages), options.storage) -
      std::begin(cli::kStorages));
}

void run_jointly(const Options& options, const ModelOnDisk& model, const Dataset& data) {
  const Trial trial = joint_trial(data);
  const Scorer scorer(model, data, trial, storage_of(options));
  check_kinds(scorer, model, data);
  const JointResult result = evaluate_jointly(scorer, data, trial);
  print_notes(data, {}, trial, scorer);
  if (options.json) return print_joint_json(options, data, trial, result);
  print_heading(options, model, data, trial, scorer);
  print_joint_text(data, trial, result);
}

void run(const Options& options) {
  const ModelOnDisk model(options.model);
  const Dataset data = read_data_for(model, options);
  check_dimensions(model, data);
  if (options.gzsl) return run_jointly(options, model, data);
  const Trial trial = choose_trial(data, options.classes);
  const Divergence divergence = divergence_for(model, data, options);
  const bzscr_rt_storage storage = storage_of(options);
  const Scorer scorer(model, data, trial, storage);
  std::optional<Ranking> exact;
  if (storage != BZSCR_RT_STORAGE_FLOAT32)
    exact = Scorer(model, data, trial, BZSCR_RT_STORAGE_FLOAT32).rank(data, trial);
  const Result result = evaluate(scorer, exact ? &*exact : nullptr, data, trial, divergence.Delta);
  print_notes(data, divergence, trial, scorer);
  if (options.json) return print_json(options, data, trial, scorer, result);
  print_heading(options, model, data, trial, scorer);
  print_text(data, trial, scorer, result);
}

// ---- command line ----

void describe_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string("bzscr-eval ") + bzscr_rt_version());
  app.footer(kDatasetHelp);
  app.add_option("MODEL", options.model, "Model file (.bzscr)")->required();
  app.add_option("DATA", options.data, "Data set: a folder or an archive, see below")->required();
  app.add_option("--embedding", options.embedding,
                 "Embedding of the data set (default: as the model was trained)")
      ->type_name("NAME[,NAME...]");
  cli::add_choice<MissingValues>(app, "--missing", options.missing, missing_value_words(),
                                 "What an embedding's values that are not known (-1) are taken "
                                 "for, as in training (default: refuse)");
  app.add_option("--divergence", options.divergence,
                 "How far off an error is, for mean Delta: cosine, wordnet, zero-one or FILE.npy "
                 "(default: as the model was trained)")
      ->check(cli::word_or_npy(divergence_words()))
      ->type_name("KIND");
  app.add_option("--wordnet", options.wordnet,
                 "Folder of WordNet 3.0's data.noun and index.noun (default: WNSEARCHDIR of the "
                 "environment, else /usr/share/wordnet)")
      ->type_name("DIR");
  app.add_option("--storage", options.storage,
                 "How the runtime keeps class values: float32, int8 or float16; the last two are "
                 "also compared with the first (default: float32)")
      ->check(cli::one_of({std::begin(cli::kStorages), std::end(cli::kStorages)}))
      ->type_name("KIND");
  auto* classes = app.add_option("--classes", options.classes,
                                 "Which classes compete: unseen; validation; or seen, on the "
                                 "samples of test_seen.npy (default: unseen)")
                      ->check(cli::one_of({"unseen", "validation", "seen"}))
                      ->type_name("WHICH");
  app.add_flag("--gzsl", options.gzsl,
               "Seen and unseen classes compete (generalised zero-shot learning): accuracy on "
               "samples of unseen classes and of test_seen.npy, "
               "without and with the penalty that the model takes off seen classes")
      ->excludes(classes);
  app.add_flag("--json", options.json, "One JSON object instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Scores a data set's classes that had no training sample, through the runtime that devices "
      "link, and reports how often it is\n"
      "right.",
      "bzscr-eval");
  describe_options(app, options);
  if (const std::optional<int> exit_code = cli::parse_command_line(app, argc, argv))
    return *exit_code;
  return cli::run_program("bzscr-eval", [&] { run(options); });
}
