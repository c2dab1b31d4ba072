#include "train/method_options.h"

#include "support/data_options.h"
#include "train/option_group.h"

#include <fmt/format.h>

namespace bzscr::cli {
namespace {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const train::Method& each : train::methods())
    if (each.name != "cca-cosine") names.push_back(each.name);
  return names;
}

}  // namespace

void add_method_options(CLI::App& app, train::FitOptions& o) {
  Group objective(app, "Objective (per sample, as the paper's tables give them)");
  objective.option("--nu", o.nu,
                   "regularisation weight of the ensemble, above 0; the smaller, the more weak "
                   "models; default: chosen");
  objective.words("--method", o.method, method_names(),
                  "bzscr: samples are selected from easy to hard; boosting: all at once; the "
                  "others: see METHODS; default bzscr");

  add_boosting_options(app, o, "Objective (per sample, as the paper's tables give them)");

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
                  "class folds drawn where the data set names none, 1 to 5; default 3", "N");
  choosing.option("--seed", o.seed, "of the folds, and of sje, ale and devise; default 1", "N")
      ->check(whole_number());
  choosing.flag("--calibration,!--no-calibration", o.calibration,
                "choose the penalty that is taken off the scores of seen classes where unseen ones "
                "compete with them, on held-out samples and classes: one more training a fold; "
                "default on");
  choosing.option("--teaching-directions", o.teaching_directions,
                  fmt::format("bzscr, boosting: directions of x that the model carries, so that "
                              "classes can be taught by samples on a device; 0: those of its weak "
                              "models; default {}",
                              d.teaching_directions),
                  "N");
}

}  // namespace bzscr::cli
