#include "train/options.h"

#include "support/command_line.h"
#include "support/data_options.h"
#include "train/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace bzscr::cli {
namespace {

// CLI11 reads -1 as the largest unsigned number.
const CLI::Validator not_negative(
    [](const std::string& value) {
      return value[0] == '-' ? "'" + value + "' is negative; expected 0 or more" : std::string();
    },
    "");

/// Adds options to a group of the help.
class Group {
 public:
  Group(CLI::App& app, std::string name) : app_(app), name_(std::move(name)) {}

  template <class Value>
  CLI::Option* option(const std::string& name, Value& value, const std::string& description,
                      const std::string& type = "X") {
    return app_.add_option(name, value, description)->type_name(type)->group(name_);
  }
  CLI::Option* words(const std::string& name, std::string& value, std::vector<std::string> words,
                     const std::string& description) {
    return app_.add_option(name, value, description)->check(one_of(std::move(words)))->group(name_);
  }
  CLI::Option* flag(const std::string& name, bool& value, const std::string& description) {
    return app_.add_flag(name, value, description)->group(name_);
  }

 private:
  CLI::App& app_;
  std::string name_;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const train::Method& each : train::methods())
    if (each.name != "cca-cosine") names.push_back(each.name);
  return names;
}

void describe_method(CLI::App& app, train::FitOptions& o) {
  Group objective(app, "Objective (per sample, as the paper's tables give them)");
  objective.option("--nu", o.nu,
                   "regularisation weight of the ensemble, above 0; the smaller, the more weak "
                   "models; default: chosen");
  objective.option("--beta", o.beta,
                   "weight of the semantic correlation term, from 0 (off); default: chosen");
  objective.option("--ridge", o.ridge,
                   "of |W|^2 / 2, beside --nu: spreads W over more weak models, which often "
                   "separates unseen classes better; 0: the paper's objective; default 0.01, and 0 "
                   "with --solver paper");
  objective.words("--method", o.method, method_names(),
                  "bzscr: samples are selected from easy to hard; boosting: all at once; the "
                  "others: see METHODS; default bzscr");

  Group selection(app, "Selection of samples (bzscr)");
  const train::FitOptions d;
  selection.option(
      "--initial-share", o.initial_share,
      fmt::format("share of samples to begin with, in (0, 1]; default {}", d.initial_share));
  selection.option("--share-growth", o.share_growth,
                   fmt::format("its growth an iteration, above 1; default {}", d.share_growth));
  selection.option("--final-share", o.final_share,
                   fmt::format("share at which it ends, up to 1; default {}", d.final_share));
  selection.option("--full-share", o.full_share,
                   fmt::format("of the selected, those that count in full, in [0, 1); default {}",
                               d.full_share));

  Group solver(app, "Solver");
  solver.words("--solver", o.solver, {"refine", "paper"},
               "refine: weak models are optimised jointly; paper: Algorithm 1 as printed, one an "
               "iteration; default refine");
  solver.option(
      "--gap", o.gap,
      fmt::format("refine: certified relative gap to end at, in (0, 1); default {}", d.gap));
  solver.option("--max-iterations", o.max_iterations,
                fmt::format("at least 1; default {}", d.max_iterations), "N");
  solver.option("--min-iterations", o.min_iterations,
                fmt::format("paper: no early stopping before (T_ES), at least 1; default {}",
                            d.min_iterations),
                "N");
  solver.option("--tolerance", o.tolerance,
                fmt::format("paper: relative excess over nu up to which the dual constraint counts "
                            "as met (epsilon); default {}",
                            d.tolerance));
  solver.flag("--early-stopping,!--no-early-stopping", o.early_stopping,
              "paper: choose the number of iterations on validation classes first; default on");

  Group others(app, "Other methods (see METHODS)");
  others.option("--rate", o.rate, "sje, ale, devise: length of a step, above 0; default: chosen");
  others.option("--epochs", o.epochs,
                "sje, ale, devise: passes over the samples, at least 1; default: chosen", "N");
  others.flag("--average,!--no-average", o.average,
              "sje, ale, devise: the mean of all iterates instead of the last; default off");
  others.option("--gamma", o.gamma, "eszsl, cca: ridge of features, above 0; default: chosen");
  others.option("--lambda", o.lambda, "eszsl, cca: ridge of embeddings, above 0; default: chosen");

  Group choosing(app, "Choosing on validation classes");
  choosing.option("--folds", o.folds,
                  "class folds drawn where the data set names none, 1 to 5; default 1", "N");
  choosing.option("--seed", o.seed, "of the folds, and of sje, ale and devise; default 1", "N")
      ->check(not_negative);
  choosing.flag("--calibration,!--no-calibration", o.calibration,
                "choose the penalty that is taken off the scores of seen classes where unseen ones "
                "compete with them, on held-out samples and classes: one more training a fold; "
                "default on");
}

void describe_run(CLI::App& app, TrainOptions& o, CLI::Option* output) {
  Group run(app, "Run");
  run.option("--threads", o.threads, "the model is the same for any number; default 0: one a core",
             "N");
  run.option("--history", o.fit.history,
             "write settings, every grid point, every iteration and the result as lines of JSON, "
             "for bzscr-report and other programs; with --resume, appended",
             "FILE");
  run.option("--report", o.report,
             "write the same as one HTML page of charts and tables, readable without a network",
             "FILE.html");
  run.words("--curves", o.fit.curves, {"none", "validation", "test"},
            "errors by iteration: validation: of the training samples and, in one more run that "
            "holds them out, of the validation classes; test: of the unseen classes too, by which "
            "nothing is chosen; default validation with --report, else none");
  auto* checkpoint = run.option(
      "--checkpoint", o.fit.checkpoint,
      "keep in FILE, and the one before in FILE.previous, what --resume goes on from; removed when "
      "the model is written",
      "FILE");
  run.option("--every", o.fit.checkpoint_seconds,
             "least time between checkpoints: 30, 60s, 5m, 1h; default 60s", "TIME")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}},
                                CLI::AsNumberWithUnit::CASE_SENSITIVE))
      ->needs(checkpoint);
  run.flag("--resume", o.fit.resume,
           "go on from the checkpoint, to the same model; without one, begin")
      ->needs(checkpoint);
  app.add_flag_function(
         "--plan",
         [&o, output](std::int64_t) {
           o.plan = true;
           output->required(false);
         },
         "train nothing: measure this machine, or the ranks that mpirun started, on a part of the "
         "samples, and predict what an evaluation takes on 1 to 1024 ranks; needs no -o")
      ->group("Run");
  run.flag("--json", o.json,
           "print one JSON object in the end, and nothing else, on standard output");
  run.flag("--quiet", o.quiet, "no progress");
}

// An option of another method would be silently without effect.
void check_method(const CLI::App& app, const train::FitOptions& o) {
  const auto& methods = train::methods();
  const auto method = std::find_if(methods.begin(), methods.end(),
                                   [&](const auto& each) { return each.name == o.method; });
  if (!method->in_model_file)
    throw InputError(
        fmt::format("--method {} is not bilinear, so no model file can hold it; "
                    "bzscr-compare measures it",
                    o.method));
  const std::vector<std::string> boosted = {
      "--nu",           "--beta",           "--solver",
      "--gap",          "--max-iterations", "--min-iterations",
      "--tolerance",    "--early-stopping", "--initial-share",
      "--share-growth", "--final-share",    "--full-share",
      "--checkpoint",   "--curves",         "--ridge"};
  const std::vector<std::string> others = {"--rate", "--epochs", "--average", "--gamma",
                                           "--lambda"};
  std::vector<std::string> own = boosted;
  if (o.method != "bzscr" && o.method != "boosting") {
    own.clear();
    for (const std::string& each : method->parameters) own.push_back("--" + each);
    if (own.front() == "--rate") own.push_back("--average");
  }
  for (const auto* all : {&boosted, &others})
    for (const std::string& option : *all)
      if (app.count(option) > 0 && std::find(own.begin(), own.end(), option) == own.end())
        throw InputError(fmt::format("{} is not of --method {}, which takes {}", option, o.method,
                                     fmt::join(own, ", ")));
}

}  // namespace

std::optional<int> parse_train_options(int argc, char** argv, TrainOptions& o) {
  CLI::App app(kTrainIntroduction, "bzscr-train");
  app.footer(std::string(train::dataset_help()) + kTrainEpilogue);
  app.set_version_flag("--version", std::string("bzscr-train ") + train::version())
      ->description("print the version");
  app.get_formatter()->column_width(34);
  app.add_option("DATA", o.data, "data set: a folder or an archive")->required();
  auto* output =
      app.add_option("-o,--output", o.output, "model file to write")->required()->type_name("FILE");
  add_data_options(app, o.read, "Data");
  add_scaling_options(app, o.fit, "Data");
  describe_method(app, o.fit);
  describe_run(app, o, output);
  if (const auto code = parse_command_line(app, argc, argv)) return code;
  check_method(app, o.fit);
  if (o.output.empty() && !o.plan) throw InputError("--output is empty; expected a file name");
  const bool reported = !o.fit.history.empty() || !o.report.empty();
  if (app.count("--curves") > 0 && !reported)
    throw InputError(
        "--curves is for a history or a report; expected --history FILE or --report "
        "FILE.html too");
  if (app.count("--curves") == 0 && !o.report.empty()) o.fit.curves = "validation";
  if (o.threads < 0 || o.threads > 1024)
    throw InputError(fmt::format("--threads is {}; expected 0 to 1024", o.threads));
  o.fit.test_unseen = reported;
  train::check(o.fit);
  return std::nullopt;
}

}  // namespace bzscr::cli
