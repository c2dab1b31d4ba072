#include "cli/options.h"

#include "bzscr_train/error.hpp"
#include "base/spelling.h"
#include "geometry/divergence.h"
#include "support/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bzscr {
namespace {

constexpr const char* kIntroduction =
    "Trains a zero-shot classifier (boosted, with semantic correlation regularisation) on "
    "features, labels\n"
    "and class embeddings, and writes a model that the runtime scores on a device,\n"
    "classes without a single training sample included.\n";

constexpr const char* kEpilogue =
    "\n"
    "METHODS (--method); what each learns, and what it takes or has chosen on validation classes\n"
    "  bzscr     boosting with semantic correlation regularisation and selection of samples: --nu, "
    "--beta\n"
    "  boosting  the same on all samples at once: --nu, --beta\n"
    "  sje       structured joint embedding: held against the class that violates most: --rate, "
    "--epochs\n"
    "  ale       attribute label embedding: the first class drawn that violates, with a ranking "
    "weight:\n"
    "            --rate, --epochs. sje and ale ask for --divergence, zero-one as published among "
    "others\n"
    "  devise    the first class in random order within a margin of 0.1: --rate, --epochs\n"
    "  eszsl     ridge on both sides, in closed form: --gamma, --lambda\n"
    "  cca       canonical correlations, both sides with a ridge: --gamma, --lambda (relative to "
    "the mean variance)\n"
    "  nr        nonlinear regression on the embeddings: not bilinear, so it cannot be written as "
    "a model;\n"
    "            bzscr-compare measures it\n"
    "\n"
    "Without --nu and --beta both are chosen on validation classes, then the model is trained on "
    "all\n"
    "seen classes. Training favours seen classes: the penalty that a device takes off them, where "
    "unseen\n"
    "ones compete with them, is chosen on held-out samples and classes. Ctrl-C writes the best "
    "model so far.\n"
    "\n"
    "Examples:\n"
    "  bzscr-train data/caltech --embedding hypernyms -o caltech.bzscr\n"
    "  bzscr-train data/awa --nu 1e-3 --beta 0.4 --history run.jsonl -o awa.bzscr\n"
    "  bzscr-train data/awa --report awa.html -o awa.bzscr\n"
    "  bzscr-train data/large --checkpoint large.ckpt --resume -o large.bzscr   # again after a "
    "crash\n"
    "  mpirun -n 8 bzscr-train data/large -o large.bzscr   # built with MPI (preset mpi): samples "
    "shared out\n"
    "  bzscr-train data/large --plan   # what that would take on 1 to 1024 processes\n"
    "  bzscr-train data/awa --solver paper --max-iterations 200 --nu 1e-3 --beta 0.4 -o "
    "printed.bzscr\n"
    "\n"
    "Exit codes: 0 done, 2 wrong input or options, 130 interrupted (the best model so far is "
    "written).";

// CLI11 reads -1 as the largest unsigned number.
const CLI::Validator not_negative(
    [](const std::string& value) {
      return value[0] == '-' ? "'" + value + "' is negative; expected 0 or more" : std::string();
    },
    "");

const std::vector<std::string>& method_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all = {"bzscr", "boosting"};
    for (const BaselineMethod& method : baseline_methods())
      if (method.bilinear || method.id == Baseline::kNr) all.push_back(method.word);
    return all;
  }();
  return words;
}

void add_method(CLI::App& app, TrainOptions& o, const std::string& group) {
  const auto set = [&o](const std::string& word) {
    o.boost.select_samples = word == "bzscr";
    for (const BaselineMethod& method : baseline_methods())
      if (method.word == word) o.baseline = method.id;
  };
  app.add_option_function<std::string>("--method", set,
                                       "bzscr: samples are let in from easy to hard; boosting: all "
                                       "at once; the others: see METHODS; "
                                       "default bzscr")
      ->check(cli::one_of(method_words()))
      ->group(group);
}

void add_baseline_options(CLI::App& app, TrainOptions& o) {
  const std::string group = "Other methods (see METHODS)";
  app.add_option("--rate", o.rate, "sje, ale, devise: length of a step, above 0; default: chosen")
      ->type_name("X")
      ->group(group);
  app.add_option("--epochs", o.epochs,
                 "sje, ale, devise: passes over the samples, at least 1; default: chosen")
      ->type_name("N")
      ->group(group);
  app.add_flag("--average,!--no-average", o.average,
               "sje, ale, devise: the mean of all iterates instead of the last; default off")
      ->group(group);
  app.add_option("--gamma", o.gamma, "eszsl, cca: ridge of features, above 0; default: chosen")
      ->type_name("X")
      ->group(group);
  app.add_option("--lambda", o.lambda, "eszsl, cca: ridge of embeddings, above 0; default: chosen")
      ->type_name("X")
      ->group(group);
}

void describe(CLI::App& app, TrainOptions& o) {
  app.add_option("DATA", o.data, "data set: a folder or an archive")->required();
  auto* output =
      app.add_option("-o,--output", o.output, "model file to write")->required()->type_name("FILE");

  const std::string data = "Data";
  app.add_option("--embedding", o.embedding,
                 "class embedding: NAME of embeddings/NAME.npy; of several named, each is centred "
                 "and scaled on its own, then they are "
                 "joined; needed where there are several")
      ->type_name("NAME[,NAME...]")
      ->group(data);
  cli::add_choice<MissingValues>(app, "--missing", o.missing, missing_value_words(),
                                 "an embedding's values that are not known, -1 where no other is "
                                 "negative: refuse; mean of the other classes; "
                                 "zero; or keep -1 as a number; default refuse")
      ->group(data);
  app.add_option("--divergence", o.divergence,
                 "how far apart classes are: cosine (of the embeddings as given), wordnet (paths "
                 "through its nouns; classes are "
                 "found by synsets.txt, else by name), zero-one, or a C x C matrix in [0, 1]; "
                 "default: divergence.npy where the folder has it, else cosine")
      ->type_name("cosine|wordnet|zero-one|FILE.npy")
      ->group(data);
  app.add_option("--wordnet", o.wordnet,
                 "folder of WordNet 3.0's data.noun and index.noun; default: WNSEARCHDIR of the "
                 "environment, else /usr/share/wordnet")
      ->type_name("DIR")
      ->group(data);
  cli::add_choice<FeatureScaling>(
      app, "--feature-scaling", o.scalings.features,
      {{"none", FeatureScaling::kNone}, {"unit", FeatureScaling::kUnit}},
      "unit: features divided by their length; recorded, repeated on the device; default unit")
      ->group(data);
  cli::add_choice<EmbeddingScaling>(
      app, "--embedding-scaling", o.scalings.embeddings,
      {{"none", EmbeddingScaling::kNone},
       {"unit", EmbeddingScaling::kUnit},
       {"centre-unit", EmbeddingScaling::kCentreUnit}},
      "centre-unit: the mean of the seen classes taken off, then unit length; default centre-unit")
      ->group(data);

  const std::string objective = "Objective (per sample, as the paper's tables give them)";
  app.add_option(
         "--nu", o.nu,
         "price of ensemble weight, above 0; the smaller, the more weak models; default: chosen")
      ->type_name("X")
      ->group(objective);
  app.add_option("--beta", o.beta,
                 "weight of the semantic correlation term, from 0 (off); default: chosen")
      ->type_name("X")
      ->group(objective);
  o.boost.ridge = kDefaultRidge;
  app.add_option("--ridge", o.boost.ridge,
                 fmt::format("of |W|^2 / 2, beside --nu: spreads W over more weak models, which "
                             "tell unseen classes apart better; "
                             "0: the paper's objective; default {:g}, and 0 with --solver paper",
                             kDefaultRidge))
      ->type_name("X")
      ->group(objective);
  add_method(app, o, objective);

  const std::string selection = "Selection of samples (bzscr)";
  const BoostConfig d;
  app.add_option(
         "--initial-share", o.boost.initial_share,
         fmt::format("share of samples to begin with, in (0, 1]; default {}", d.initial_share))
      ->type_name("X")
      ->group(selection);
  app.add_option("--share-growth", o.boost.share_growth,
                 fmt::format("its growth an iteration, above 1; default {}", d.share_growth))
      ->type_name("X")
      ->group(selection);
  app.add_option("--final-share", o.boost.final_share,
                 fmt::format("share at which it ends, up to 1; default {}", d.final_share))
      ->type_name("X")
      ->group(selection);
  app.add_option("--full-share", o.boost.full_share,
                 fmt::format("of the selected, those that count in full, in [0, 1); default {}",
                             d.full_share))
      ->type_name("X")
      ->group(selection);

  const std::string solver = "Solver";
  cli::add_choice<Solver>(app, "--solver", o.solver,
                          {{"refine", Solver::kRefine}, {"paper", Solver::kPaper}},
                          "refine: weak models move jointly; paper: Algorithm 1 as printed, one an "
                          "iteration; default refine")
      ->group(solver);
  app.add_option(
         "--gap", o.boost.gap,
         fmt::format("refine: certified relative gap to end at, in (0, 1); default {}", d.gap))
      ->type_name("X")
      ->group(solver);
  app.add_option("--max-iterations", o.boost.max_iterations,
                 fmt::format("at least 1; default {}", d.max_iterations))
      ->type_name("N")
      ->group(solver);
  app.add_option("--min-iterations", o.boost.min_iterations,
                 fmt::format("paper: no early stopping before (T_ES), at least 1; default {}",
                             d.min_iterations))
      ->type_name("N")
      ->group(solver);
  app.add_option("--tolerance", o.boost.tolerance,
                 fmt::format("paper: excess over nu at which no weak model is missing, relative "
                             "(epsilon); default {}",
                             d.tolerance))
      ->type_name("X")
      ->group(solver);
  app.add_flag("--early-stopping,!--no-early-stopping", o.early_stopping,
               "paper: choose the number of iterations on validation classes first; default on")
      ->group(solver);

  add_baseline_options(app, o);

  const std::string choosing = "Choosing on validation classes";
  app.add_option("--folds", o.folds,
                 "class folds drawn where the data set names none, 1 to 5; default 1")
      ->type_name("N")
      ->group(choosing);
  app.add_option("--seed", o.seed, "of the folds, and of sje, ale and devise; default 1")
      ->type_name("N")
      ->group(choosing)
      ->check(not_negative);
  app.add_flag("--calibration,!--no-calibration", o.calibration,
               "choose what is taken off the scores of seen classes while unseen ones stand beside "
               "them, on held-out samples and "
               "classes: one more training a fold; default on")
      ->group(choosing);

  const std::string run = "Run";
  app.add_option("--threads", o.threads,
                 "the model is the same for any number; default 0: one per core")
      ->type_name("N")
      ->group(run);
  app.add_option("--history", o.history,
                 "write settings, every grid point, every iteration and the result as lines of "
                 "JSON, for bzscr-report and other programs; "
                 "with --resume, added to what the file holds")
      ->type_name("FILE")
      ->group(run);
  app.add_option("--report", o.report,
                 "write the same as one HTML page of charts and tables, readable without a network")
      ->type_name("FILE.html")
      ->group(run);
  cli::add_choice<std::optional<Curves>>(
      app, "--curves", o.asked_curves,
      {{"none", Curves::kNone}, {"validation", Curves::kValidation}, {"test", Curves::kTest}},
      "errors by iteration: validation: of the training samples and, in one more run that holds "
      "them out, of the validation "
      "classes; test: of the unseen classes too, by which nothing is chosen; default validation "
      "with --report, else none")
      ->group(run);
  auto* checkpoint = app.add_option("--checkpoint", o.checkpoint,
                                    "keep in FILE, and the one before in FILE.previous, what "
                                    "--resume goes on from; removed when the model is written")
                         ->type_name("FILE")
                         ->group(run);
  app.add_option("--every", o.every, "least time between checkpoints: 30, 60s, 5m, 1h; default 60s")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}},
                                CLI::AsNumberWithUnit::CASE_SENSITIVE))
      ->type_name("TIME")
      ->group(run)
      ->needs(checkpoint);
  app.add_flag("--resume", o.resume,
               "go on from the checkpoint, to the same model; without one, begin")
      ->group(run)
      ->needs(checkpoint);
  app.add_flag_function(
         "--plan",
         [&o, output](std::int64_t) {
           o.plan = true;
           output->required(false);
         },
         "train nothing: measure this machine, or those that mpirun names, on a part of the "
         "samples, and say what an evaluation "
         "would take on 1 to 1024 processes: memory, seconds, messages, and how many are worth "
         "using; needs no -o")
      ->group(run);
  app.add_flag("--json", o.json,
               "print one JSON object in the end, and nothing else, on standard output")
      ->group(run);
  app.add_flag("--quiet", o.quiet, "no progress")->group(run);
}

void check_divergence(const std::string& given) {
  const std::string file = divergence_file(given);
  if (file.empty() || (file.size() > 4 && file.compare(file.size() - 4, 4, ".npy") == 0)) return;
  throw InputError(fmt::format("--divergence is '{}'; expected {} or FILE.npy{}", given,
                               fmt::join(divergence_words(), ", "),
                               did_you_mean(given, divergence_words())));
}

// An option of another method would be silently without effect.
void check_method(const CLI::App& app, const TrainOptions& o) {
  const std::string method = o.baseline               ? baseline_method(*o.baseline).word
                             : o.boost.select_samples ? "bzscr"
                                                      : "boosting";
  if (o.baseline == Baseline::kNr)
    throw InputError(
        "--method nr is not bilinear, so no model file can hold it; bzscr-compare measures it");
  std::vector<std::string> own = {"--nu",           "--beta",           "--solver",
                                  "--gap",          "--max-iterations", "--min-iterations",
                                  "--tolerance",    "--early-stopping", "--initial-share",
                                  "--share-growth", "--final-share",    "--full-share",
                                  "--checkpoint",   "--curves",         "--ridge"};
  if (o.baseline) {
    own.clear();
    for (const HyperParameter& parameter : baseline_method(*o.baseline).parameters)
      own.push_back("--" + parameter.name);
    if (own.front() == "--rate") own.push_back("--average");
  }
  for (const char* option : {"--nu",           "--beta",           "--solver",
                             "--gap",          "--max-iterations", "--min-iterations",
                             "--tolerance",    "--early-stopping", "--initial-share",
                             "--share-growth", "--final-share",    "--full-share",
                             "--checkpoint",   "--curves",         "--ridge",
                             "--rate",         "--epochs",         "--average",
                             "--gamma",        "--lambda"})
    if (app.count(option) > 0 && std::find(own.begin(), own.end(), option) == own.end())
      throw InputError(fmt::format("{} is not of --method {}, which takes {}", option, method,
                                   fmt::join(own, ", ")));
  const auto positive = [](const char* name, const std::optional<double>& value) {
    if (value && !(*value > 0 && std::isfinite(*value)))
      throw InputError(fmt::format("{} is {}; expected a number above 0", name, *value));
  };
  positive("--rate", o.rate);
  positive("--gamma", o.gamma);
  positive("--lambda", o.lambda);
  if (o.epochs && !(*o.epochs >= 1 && *o.epochs <= 1e6 && *o.epochs == std::floor(*o.epochs)))
    throw InputError(
        fmt::format("--epochs is {}; expected a whole number from 1 to a million", *o.epochs));
}

void check(const TrainOptions& o) {
  if (o.output.empty() && !o.plan) throw InputError("--output is empty; expected a file name");
  if (o.asked_curves && !o.reported())
    throw InputError(
        "--curves is for a history or a report; expected --history FILE or --report FILE.html too");
  check_divergence(o.divergence);
  BoostConfig config = o.boost;
  if (o.nu) config.nu = *o.nu;
  if (o.beta) config.beta = *o.beta;
  const std::string wrong = config.validate();
  if (!wrong.empty()) throw InputError(wrong);
  if (o.boost.ridge > 0 && o.solver == Solver::kPaper)
    throw InputError(
        "--ridge is no part of Algorithm 1 as printed; expected it without --solver paper");
  if (o.folds < 1 || o.folds > 5)
    throw InputError(fmt::format("--folds is {}; expected 1 to 5", o.folds));
  if (!(o.every >= 0))
    throw InputError(fmt::format("--every is {} s; expected 0 or more", o.every));
  if (o.threads < 0 || o.threads > 1024)
    throw InputError(fmt::format("--threads is {}; expected 0 to 1024", o.threads));
}

}  // namespace

std::optional<int> parse_options(int argc, char** argv, TrainOptions& options) {
  CLI::App app(kIntroduction, "bzscr-train");
  app.footer(std::string(kDatasetHelp) + kEpilogue);
  app.set_version_flag("--version", "bzscr-train " BZSCR_VERSION)->description("print the version");
  app.get_formatter()->column_width(34);
  describe(app, options);
  if (const auto code = cli::parse_command_line(app, argc, argv)) return code;
  check_method(app, options);
  if (options.solver == Solver::kPaper && app.count("--ridge") == 0) options.boost.ridge = 0;
  check(options);
  return std::nullopt;
}

}  // namespace bzscr
