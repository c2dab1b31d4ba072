// bzscr-eval: how well a model tells a data set's classes apart, scored by the runtime that devices
// link.

#include "eval/agreement.h"
#include "eval/figures.h"
#include "eval/table_scorer.h"
#include "support/command_line.h"
#include "support/libraries.h"
#include "support/program.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace bzscr;
using cli::ModelDescription;
using cli::ModelFile;
using cli::Subject;
using cli::TableScorer;

constexpr const char* kProgram = "bzscr-eval";

struct Options {
  std::string model, data, classes = "unseen", storage = "float32";
  train::ReadOptions read;
  std::string shots;  ///< of --teach; empty: not asked for
  train::TeachOptions teach;
  bool gzsl = false, json = false;
};

constexpr std::int64_t kMost = 10000;  // of --teach and --repeats

/// Rising whole numbers, with commas between.
std::vector<std::int64_t> rising_numbers(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const std::string& each : cli::split_at_commas(text)) {
    const bool digits = !each.empty() && each.size() <= 5 &&
                        each.find_first_not_of("0123456789") == std::string::npos;
    const std::int64_t number = digits ? std::stoll(each) : 0;
    if (number < 1 || number > kMost || (!numbers.empty() && number <= numbers.back())) return {};
    numbers.push_back(number);
  }
  return numbers;
}

CLI::Validator rising_numbers() {
  return CLI::Validator(
      [](const std::string& value) {
        return rising_numbers(value).empty()
                   ? fmt::format(
                         "'{}'; expected rising whole numbers from 1 to {}, with commas "
                         "between, such as 1,2,5,10",
                         value, kMost)
                   : "";
      },
      "");
}

void describe_options(CLI::App& app, Options& o) {
  app.add_option("MODEL", o.model, "model file (.bzscr)")->required();
  app.add_option("DATA", o.data, "data set: a folder or an archive, see below")->required();
  app.add_option(
         "--embedding", o.read.embedding,
         "embedding of the data set, by which all classes are scored; default: the name that "
         "the model was trained with, and the model's own embeddings of its classes")
      ->type_name("NAME[,NAME...]");
  app.add_option("--missing", o.read.missing,
                 "what an embedding's values that are not known (-1) are taken for, as in "
                 "training; default refuse")
      ->check(cli::one_of({"keep", "mean", "refuse", "zero"}));
  app.add_option("--divergence", o.read.divergence,
                 "how far off an error is, for mean Delta: cosine, wordnet, zero-one or FILE.npy; "
                 "default: as the model was trained")
      ->check(cli::word_or_npy({"cosine", "wordnet", "zero-one"}))
      ->type_name("KIND");
  app.add_option("--wordnet", o.read.wordnet,
                 "folder of WordNet 3.0's data.noun and index.noun; default: WNSEARCHDIR of the "
                 "environment, else /usr/share/wordnet")
      ->type_name("DIR");
  app.add_option("--storage", o.storage,
                 "how the runtime keeps class values: float32, int8 or float16; the last two are "
                 "also compared with the first; default float32")
      ->check(cli::one_of(cli::storage_words()))
      ->type_name("KIND");
  auto* classes = app.add_option("--classes", o.classes,
                                 "which classes compete: unseen, and beside that all of them; "
                                 "validation; or seen, on the samples of test_seen.npy; default "
                                 "unseen")
                      ->check(cli::one_of({"unseen", "validation", "seen"}))
                      ->type_name("WHICH");
  auto* gzsl =
      app.add_flag(
             "--gzsl", o.gzsl,
             "seen and unseen classes compete (generalised zero-shot learning): accuracy on "
             "samples of unseen classes and of test_seen.npy, without and with the penalty that "
             "the model takes off seen classes")
          ->excludes(classes);
  const std::string group =
      "Teaching (of a model that can be taught: the device learns from samples)";
  auto* teach =
      app.add_option("--teach", o.shots,
                     "numbers of samples, such as 1,2,5,10: so many of each unseen class, drawn at "
                     "random, are taught through the runtime, but at most half of a class; the "
                     "samples that the largest number leaves are scored among unseen classes, and "
                     "with those of test_seen.npy among all classes, before and after")
          ->check(rising_numbers())
          ->type_name("N[,N...]")
          ->group(group)
          ->excludes(classes)
          ->excludes(gzsl);
  app.add_option("--repeats", o.teach.repeats,
                 "how often samples are drawn anew; means and standard deviations are over these; "
                 "default 10")
      ->check(CLI::Range(std::int64_t{1}, kMost))
      ->type_name("N")
      ->group(group)
      ->needs(teach);
  app.add_option("--seed", o.teach.seed, "of the draws; default 1")
      ->check(cli::whole_number())
      ->type_name("N")
      ->group(group)
      ->needs(teach);
  app.add_flag("--json", o.json, "print one JSON object instead of text");
}

void print_notes(const train::Dataset& data, const train::Selection& selection,
                 const TableScorer& scorer, cli::Embeddings embeddings) {
  for (const std::string& note : data.notes()) cli::print_note(kProgram, note);
  const bool zero_shot = selection.description == "unseen" || selection.description == "validation";
  if (const auto& names = scorer.trained_classes(); zero_shot && !names.empty())
    cli::print_note(kProgram,
                    fmt::format("the model was trained on samples of {} of these {} "
                                "classes, so the figures are not zero-shot: {}",
                                names.size(), selection.classes.size(), fmt::join(names, ", ")));
  if (const auto& names = scorer.added_classes(); !names.empty())
    cli::print_note(kProgram,
                    fmt::format("added from the data set, as the model does not hold them: {}",
                                fmt::join(names, ", ")));
  if (const auto& names = scorer.changed_classes(); !names.empty())
    cli::print_note(
        kProgram,
        fmt::format(embeddings == cli::Embeddings::kOfData
                        ? "{} of {} classes are scored by '{}' of {}, as --embedding asks; the "
                          "model holds other embeddings of them: {}"
                        : "{} of {} classes have other embeddings in the model than in '{}' of {}, "
                          "and are scored by the model's; --embedding scores by the other: {}",
                    names.size(), selection.classes.size(), data.embedding(), data.path(),
                    fmt::join(names, ", ")));
}

/// Share of samples with the same best class in both.
double agreement(const train::Evaluation& a, const train::Evaluation& b) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.best.size(); ++i) same += a.best[i] == b.best[i];
  return static_cast<double>(same) / static_cast<double>(a.best.size());
}

/// A data set in place of the model says what a model is not, which helps nobody.
void expect_model_first(const Options& o) {
  std::error_code error;
  const std::filesystem::path model = o.model;
  if (std::filesystem::is_directory(model, error) || model.extension() == ".npz")
    throw InputError(o.model, "is a data set; expected a model file: MODEL comes first, then DATA");
}

/// The model and the data set, which agree, and how they are scored.
struct Inputs {
  const Options& options;
  const ModelFile file;
  const ModelDescription model = file.describe();
  const train::Dataset data = train::Dataset::read(
      options.data, cli::reading_for(file, model, options.read, needs_divergence()), {});
  const train::Partition partition = data.partition();
  const cli::Embeddings embeddings =
      options.read.embedding.empty() ? cli::Embeddings::kOfModel : cli::Embeddings::kOfData;
  const bzscr_rt_storage storage = cli::storage_of(options.storage);

  bool needs_divergence() const { return !options.gzsl && options.shots.empty(); }

  TableScorer scorer(const train::Selection& selection, bool teachable = false) const {
    return {file, model, data, selection, embeddings, storage, teachable};
  }
  Subject subject(const train::Selection& selection, const TableScorer& scorer) const {
    return {options.model,
            model.record().data_hash,
            data,
            partition,
            selection,
            scorer.info(),
            scorer.added_classes().size(),
            scorer.trained_classes().size()};
  }
};

/// Seen and unseen classes compete.
void evaluate_jointly(const Inputs& in) {
  const train::Selection selection = train::select(in.data, in.partition, "all");
  cli::expect_same_split(in.file, in.model, in.data, in.partition);
  const TableScorer scorer = in.scorer(selection);
  const Subject subject = in.subject(selection, scorer);
  const double penalty = in.model.seen_penalty;
  const train::JointEvaluation result =
      train::evaluate_jointly(in.data, in.partition, selection, scorer, penalty, {});
  print_notes(in.data, selection, scorer, in.embeddings);
  fmt::print("{}", in.options.json ? cli::joint_json(subject, result, penalty).text() + "\n"
                                   : cli::joint_text(subject, result, penalty));
}

/// Whether there are samples of seen and of unseen classes, and a penalty for these classes.
bool can_compete(const Inputs& in) {
  return !in.partition.held_out.empty() &&
         cli::split_difference(in.model, in.data, in.partition).empty();
}

/// The classes of one kind compete, and beside unseen ones all classes, if they can.
void evaluate(const Inputs& in) {
  const std::string& which = in.options.classes;
  const train::Selection selection = train::select(in.data, in.partition, which);
  const TableScorer scorer = in.scorer(selection);
  const Subject subject = in.subject(selection, scorer);
  const train::Evaluation result = train::evaluate(in.data, selection, scorer, {});
  double same = 1;
  if (in.storage != BZSCR_RT_STORAGE_FLOAT32) {
    const TableScorer exact(in.file, in.model, in.data, selection, in.embeddings,
                            BZSCR_RT_STORAGE_FLOAT32);
    same = agreement(result, train::evaluate(in.data, selection, exact, {}));
  }
  train::Selection all_classes;
  train::JointEvaluation joint;
  const cli::AmongAll all{all_classes, joint, in.model.seen_penalty};
  const bool compete = which == "unseen" && can_compete(in);
  if (compete) {
    all_classes = train::select(in.data, in.partition, "all");
    joint = train::evaluate_jointly(in.data, in.partition, all_classes, in.scorer(all_classes),
                                    all.penalty, {});
  }
  print_notes(in.data, selection, scorer, in.embeddings);
  const cli::AmongAll* measured = compete ? &all : nullptr;
  fmt::print("{}", in.options.json
                       ? cli::evaluation_json(subject, result, same, measured).text() + "\n"
                       : cli::evaluation_text(subject, result, same, measured));
}

/// Unseen classes with samples that cannot be taught so many, and leave as many.
std::vector<std::string> small_classes(const Inputs& in, std::int64_t most) {
  std::vector<std::int64_t> samples(in.data.classes().size());
  for (const std::int32_t label : in.data.labels()) ++samples[static_cast<std::size_t>(label)];
  std::vector<std::string> names;
  for (const std::int64_t r : in.partition.unseen) {
    const auto row = static_cast<std::size_t>(r);
    if (samples[row] > 0 && samples[row] / 2 < most) names.push_back(in.data.classes()[row]);
  }
  return names;
}

/// Unseen classes are taught samples.
void evaluate_taught(const Inputs& in) {
  if (!in.model.teaching)
    throw InputError(in.file.path(),
                     "cannot be taught, as it does not say how; expected a model of the methods "
                     "bzscr or boosting that bzscr-train has calibrated on validation classes, see "
                     "bzscr-inspect");
  train::TeachOptions options = in.options.teach;
  options.shots = rising_numbers(in.options.shots);
  const train::Selection selection =
      train::select(in.data, in.partition, can_compete(in) ? "all" : "unseen");
  TableScorer scorer = in.scorer(selection, true);
  const Subject subject = in.subject(selection, scorer);
  const train::TeachingEvaluation result =
      train::evaluate_taught(in.data, in.partition, selection, scorer, options, {});
  print_notes(in.data, selection, scorer, in.embeddings);
  if (const auto names = small_classes(in, options.shots.back()); !names.empty())
    cli::print_note(kProgram, fmt::format("half of their samples, fewer than {}, are taught of: {}",
                                          options.shots.back(), fmt::join(names, ", ")));
  const cli::Taught taught{result, options, in.model.seen_penalty};
  fmt::print("{}", in.options.json ? cli::taught_json(subject, taught).text() + "\n"
                                   : cli::taught_text(subject, taught));
}

int run(const Options& o) {
  expect_model_first(o);
  const Inputs in{o, ModelFile(o.model)};
  cli::expect_agreement(in.file, in.model, in.data, o.read, in.needs_divergence());
  if (o.gzsl)
    evaluate_jointly(in);
  else if (!o.shots.empty())
    evaluate_taught(in);
  else
    evaluate(in);
  return cli::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {kProgram,
       "Scores a data set's classes that had no training sample, through the runtime that devices "
       "link, and reports how often it is\nright.",
       train::dataset_help()},
      argc, argv, [&](CLI::App& app) { describe_options(app, options); },
      [&] {
        cli::prepare_libraries(argv);
        return run(options);
      });
}
