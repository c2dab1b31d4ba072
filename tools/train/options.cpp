#include "train/options.h"

#include "support/command_line.h"
#include "support/data_options.h"
#include "train/help.h"
#include "train/method_options.h"
#include "train/option_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace bzscr::cli {
namespace {

/// "30", "60s", "5m" or "1h".
double seconds_in(const std::string& time) {
  const std::size_t unit = time.find_last_not_of("smh") + 1;
  const std::string word = time.substr(std::min(unit, time.size()));
  const double factor = word.empty() || word == "s" ? 1
                        : word == "m"               ? 60
                        : word == "h"               ? 3600
                                                    : -1;
  double number = 0;
  const auto [end, error] = std::from_chars(time.data(), time.data() + unit, number);
  const double seconds = number * factor;
  if (error != std::errc() || end != time.data() + unit ||
      !(seconds >= 0 && std::isfinite(seconds)))
    throw InputError(
        fmt::format("--every is '{}'; expected a time such as 30, 60s, 5m or 1h", time));
  return seconds;
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
  app.add_option_function<std::string>(
         "--every", [&o](const std::string& time) { o.fit.checkpoint_seconds = seconds_in(time); },
         "least time between checkpoints: 30, 60s, 5m, 1h; default 60s")
      ->type_name("TIME")
      ->group("Run")
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

/// The options of the command line, as the members of an options struct are named.
std::vector<std::string> given_members(const CLI::App& app) {
  std::vector<std::string> members;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    members.push_back(option->get_lnames().front());
    std::replace(members.back().begin(), members.back().end(), '-', '_');
  }
  return members;
}

void expect_a_method_for_devices(const std::string& name) {
  for (const train::Method& each : train::methods())
    if (each.name == name && !each.in_model_file)
      throw InputError(
          fmt::format("--method {} is not bilinear, so no model file can hold it; bzscr-compare "
                      "measures it",
                      name));
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
  add_method_options(app, o.fit);
  describe_run(app, o, output);
  if (const auto code = parse_command_line(app, argc, argv)) return code;
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
  train::check(o.fit, given_members(app));
  expect_a_method_for_devices(o.fit.method);
  return std::nullopt;
}

}  // namespace bzscr::cli
