// bzscr-eval: how well a model tells a data set's classes apart, scored by the runtime that devices
// link.

#include "eval/agreement.h"
#include "eval/figures.h"
#include "eval/table_scorer.h"
#include "support/command_line.h"
#include "support/libraries.h"
#include "support/program.h"

#include <fmt/format.h>

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
  bool gzsl = false, json = false;
};

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
  app.add_flag("--gzsl", o.gzsl,
               "seen and unseen classes compete (generalised zero-shot learning): accuracy on "
               "samples of unseen classes and of test_seen.npy, without and with the penalty that "
               "the model takes off seen classes")
      ->excludes(classes);
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

  bool needs_divergence() const { return !options.gzsl; }

  TableScorer scorer(const train::Selection& selection) const {
    return {file, model, data, selection, embeddings, storage};
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

int run(const Options& o) {
  expect_model_first(o);
  const Inputs in{o, ModelFile(o.model)};
  cli::expect_agreement(in.file, in.model, in.data, o.read, in.needs_divergence());
  if (o.gzsl)
    evaluate_jointly(in);
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
