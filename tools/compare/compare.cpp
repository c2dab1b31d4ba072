// bzscr-compare: BZ-SCR beside the methods it is compared with, on classes without training samples.

#include "base/spelling.h"
#include "compare/tables.h"
#include "support/command_line.h"
#include "support/data_options.h"
#include "support/interrupt.h"
#include "support/libraries.h"
#include "support/program.h"
#include "support/progress_bar.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using cli::Study;

constexpr const char* kIntroduction =
    R"(Trains BZ-SCR and the methods it is compared with on a data set, and tells how each does on classes
without training samples. Hyper-parameters are chosen on validation classes, never on unseen ones.
)";

constexpr const char* kEpilogue = R"(
COLUMNS
  rank        mean over the splits of the rank by error rate among the methods of the paper's table
  error       share of samples of unseen classes that are misclassified among the unseen classes
  mean Delta  how far off the errors are, by the divergence
  per class   accuracy within each unseen class, averaged
  S, U, H     seen and unseen classes compete: accuracy of samples held out of seen classes, of unseen
              ones, their harmonic mean; then the same with the penalty of seen classes that was chosen
              on held-out samples and validation classes, as bzscr-train chooses it
  AUSUC       the area under U as a function of S, over all penalties
  U+1, U+5    U with the penalty after 1 and 5 labelled samples of each unseen class, as a device is
              taught them, on the others; of models that can be taught
  seconds     to choose and to train; methods and splits run side by side, each on its share of the threads

METHODS
  bzscr, boosting, sje, ale, nr, cca   those of the paper's table. sje and ale are trained with the
                                       divergence and with 0-1, and the better one counts, as in the paper;
                                       of cca likewise the cosine and the bilinear form that a model file
                                       can hold
  devise, eszsl, ridge                 not in the table; ridge: regression on the embeddings, by cosine

Interrupted (Ctrl-C), it reports the splits that all methods have finished; before there is one, the
methods that have finished a split.

Examples:
  bzscr-compare data/caltech --embedding hypernyms --splits 10
  bzscr-compare data/awa24 --embedding attributes --splits data/awa24/class_splits20.npy --markdown
  bzscr-compare data/awa24 --embedding attributes,word2vec --methods bzscr,eszsl --json
  bzscr-compare data/caltech --embedding glove --splits 10 --methods bzscr --beta 0 --ridge 0

Exit codes: 0 done, 2 wrong input or options, 130 interrupted.)";

struct Options {
  std::string data, splits;
  train::ReadOptions read;
  train::CompareOptions compare;
  int threads = 0;
  bool json = false, markdown = false, quiet = false;
};

std::optional<int> parse_options(int argc, char** argv, Options& o) {
  CLI::App app(kIntroduction, "bzscr-compare");
  app.footer(std::string(train::dataset_help()) + kEpilogue);
  app.set_version_flag("--version", std::string("bzscr-compare ") + train::version())
      ->description("print the version");
  app.get_formatter()->column_width(34);
  train::FitOptions& fit = o.compare.fit;
  app.add_option("DATA", o.data, "data set: a folder or an archive")->required();
  app.add_option(
         "--splits", o.splits,
         "N: that many random splits of the classes into seen and unseen ones, as many of each "
         "as the data set has; FILE.npy: a row for each split, with "
         "0 (trains), 1 (validates) or 2 (unseen) for each class; default: the data set's "
         "own split")
      ->type_name("N|FILE.npy");
  std::string methods;
  app.add_option("--methods", methods, "only these, with commas between; see METHODS; default: all")
      ->check(cli::some_of(train::compared_methods()))
      ->type_name("NAME[,NAME...]");
  cli::add_data_options(app, o.read, "Data");
  cli::add_scaling_options(app, fit, "Data");
  app.add_flag("--average", fit.average,
               "sje, ale, devise: the mean of all iterates instead of the last");
  cli::add_boosting_options(app, fit, "BZ-SCR and boosting");
  app.add_option("--folds", fit.folds,
                 "class folds to choose on, where the data set names none, 1 to 5; default 3")
      ->type_name("N");
  app.add_option("--seed", fit.seed, "of splits, folds, held-out samples and methods; default 1")
      ->type_name("N")
      ->check(cli::whole_number());
  app.add_option("--threads", o.threads, "default 0: one a core")->type_name("N");
  auto* markdown = app.add_flag("--markdown", o.markdown, "print Markdown");
  app.add_flag("--json", o.json, "print one JSON object, and nothing else, on standard output")
      ->excludes(markdown);
  app.add_flag("--quiet", o.quiet, "no progress");
  if (const auto code = cli::parse_command_line(app, argc, argv)) return code;
  o.compare.methods = cli::split_at_commas(methods);
  if (o.threads < 0 || o.threads > 1024)
    throw InputError(fmt::format("--threads is {}; expected 0 to 1024", o.threads));
  return std::nullopt;
}

std::vector<train::Partition> partitions_of(const train::Dataset& data, const Options& o) {
  const std::uint64_t seed = o.compare.fit.seed;
  if (o.splits.empty()) {
    if (data.partition().unseen.size() < 2)
      throw InputError(o.data,
                       "names no two unseen classes to compare on; expected some, or "
                       "--splits FILE.npy");
    return {data.partition()};
  }
  if (o.splits.find_first_not_of("0123456789") != std::string::npos)
    return train::read_partitions(data, o.splits, seed);
  const bool in_range = o.splits.size() <= 4 && std::stoi(o.splits) >= 1;
  if (!in_range)
    throw InputError(fmt::format("--splits is {}; expected 1 to 9999, or FILE.npy", o.splits));
  return train::draw_partitions(data, std::stoi(o.splits), seed);
}

std::string title_of(const Options& o, const train::Dataset& data,
                     const std::vector<train::Partition>& partitions, std::size_t finished) {
  const std::size_t unseen = partitions.front().unseen.size();
  const std::string splits =
      o.splits.empty() ? "its own class split" : counted(finished, "class split");
  return fmt::format("{}: {} of {} seen and {} unseen classes, embedding {} ({}), divergence {}{}",
                     o.data, splits, data.classes().size() - unseen, unseen, data.embedding(),
                     data.embedding_dimension(), data.divergence(),
                     finished > 1 ? "; means over the splits, ± their standard deviation" : "");
}

/// A bar on a terminal; elsewhere a line at the start and for each method that finished a split.
class ComparisonProgress : public train::Events {
 public:
  ComparisonProgress(std::size_t splits, bool quiet)
      : splits_(splits), bar_(!quiet), lines_(!quiet && !bar_.shown()) {}
  void phase(const std::string& name) override {
    bar_.begin(name);
    bar_.draw(0, "", true);
    if (lines_)
      cli::print_error(fmt::format("{} on {}: a line for each method that has finished one\n", name,
                                   counted(splits_, "split")));
  }
  void progress(double fraction) override {
    fraction_ = fraction;
    bar_.draw(fraction, latest_);
  }
  void finished(const train::ComparedForm& form, std::size_t split, const train::Measures& at) {
    latest_ = fmt::format("split {} of {}: {}", split + 1, splits_, cli::name_of(form));
    bar_.draw(fraction_, latest_, true);
    if (lines_)
      cli::print_error(fmt::format(
          "split {:>2}  {:<20} per class {:.3f}  error {:.3f}  {:.1f} s  {}\n", split + 1,
          cli::name_of(form), at.per_class_top1, at.error_rate, at.seconds, at.setting));
  }
  void end() { bar_.end(); }

 private:
  std::size_t splits_;
  cli::ProgressBar bar_;
  bool lines_;
  std::string latest_;
  double fraction_ = 0;
};

int run(int argc, char** argv) {
  Options o;
  if (const auto code = parse_options(argc, argv, o)) return *code;
  cli::prepare_libraries(argv);
  cli::catch_interrupts();
  train::Context context;
  context.threads = o.threads;
  context.stop = cli::interrupted;
  const train::Dataset data = train::Dataset::read(o.data, o.read, context);
  for (const std::string& note : data.notes()) cli::print_note("bzscr-compare", note);
  const std::vector<train::Partition> partitions = partitions_of(data, o);

  Study study{o.data,
              "",
              data.embedding(),
              data.divergence(),
              o.splits.empty(),
              o.compare.fit.seed,
              o.compare.fit.average,
              o.compare.fit.ridge.value_or(0.01),
              {}};
  ComparisonProgress progress(partitions.size(), o.quiet);
  context.events = &progress;
  study.result = train::compare(
      data, partitions, o.compare, context,
      [&](const train::ComparedForm& form, std::size_t split, const train::Measures& at, double) {
        progress.finished(form, split, at);
      });
  progress.end();
  const std::vector<train::ComparedForm>& forms = study.result.forms;
  const std::size_t finished = forms.empty() ? 0 : forms.front().splits.size();
  if (finished == 0)
    throw InputError(Place{}, "interrupted before a method had finished a split", "",
                     ErrorKind::kInterrupted);
  if (!study.result.complete)
    cli::print_note("bzscr-compare",
                    fmt::format("interrupted; of {} on {}, these were finished: {} on {}",
                                counted(study.result.asked_forms, "method"),
                                counted(partitions.size(), "split"),
                                counted(forms.size(), "method"), counted(finished, "split")));
  study.title = title_of(o, data, partitions, finished);
  if (o.json)
    fmt::print("{}\n", study_json(study).text());
  else
    print_study(study, o.markdown);
  return study.result.complete ? cli::kExitDone : cli::kExitInterrupted;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_program("bzscr-compare", argc, argv, [&] { return run(argc, argv); });
}
