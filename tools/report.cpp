// bzscr-report: one page of charts and tables on runs of bzscr-train, readable without a network.

#include "base/atomic_file.h"
#include "support/command_line.h"
#include "support/files.h"
#include "support/libraries.h"
#include "support/program.h"

#include <fmt/format.h>

#include <bzscr_train/bzscr_train.hpp>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;

constexpr const char* kProgram = "bzscr-report";

constexpr const char* kEpilogue =
    "The page holds all that it shows: style, data, and what draws it. It has: error on training, "
    "validation and test\n"
    "classes by iteration (as recorded: see bzscr-train --curves), the effect of beta, the "
    "objective and its certified\n"
    "gap, the share of selected samples, accuracy of each unseen class, their confusion, and the "
    "settings.\n"
    "\n"
    "Examples:\n"
    "  bzscr-train data/awa --history run.jsonl --curves test -o awa.bzscr\n"
    "  bzscr-report run.jsonl -o run.html\n"
    "  bzscr-report bzscr.jsonl boosting.jsonl -o both.html        # curves of both in one chart\n"
    "  bzscr-compare data/awa --json > compare.json && bzscr-report run.jsonl --compare "
    "compare.json -o awa.html";

struct Options {
  std::vector<std::string> histories;
  std::string compare, output;
};

void describe_options(CLI::App& app, Options& options) {
  app.add_option("HISTORY", options.histories,
                 "what bzscr-train --history wrote; several: side by side, and each for itself");
  app.add_option("--compare", options.compare,
                 "what bzscr-compare --json printed: the table of methods")
      ->type_name("FILE");
  app.add_option("-o,--output", options.output, "the page to write")
      ->required()
      ->type_name("FILE.html");
}

int run(const Options& options) {
  if (options.histories.empty() && options.compare.empty())
    throw InputError("nothing to report; expected HISTORY or --compare FILE");
  std::vector<std::string> inputs = options.histories;
  inputs.push_back(options.compare);
  cli::expect_distinct(inputs, {options.output});
  expect_writable(options.output);
  std::vector<train::NamedText> histories;
  for (const std::string& path : options.histories)
    histories.push_back({path, cli::read_text(path)});
  std::optional<train::NamedText> comparison;
  if (!options.compare.empty()) comparison = {options.compare, cli::read_text(options.compare)};

  const train::ReportPage page = train::report_page(histories, comparison);
  for (const std::string& note : page.notes) cli::print_note(kProgram, note);
  write_file_atomically(options.output, {page.html.begin(), page.html.end()});
  fmt::print("{}: {} {}{}, {} bytes\n", options.output, histories.size(),
             histories.size() == 1 ? "run" : "runs",
             comparison ? fmt::format(" and a comparison of {} methods", page.methods) : "",
             page.html.size());
  return cli::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {kProgram,
       "Makes one HTML page of the histories that bzscr-train writes, readable without a network.",
       kEpilogue},
      argc, argv, [&](CLI::App& app) { describe_options(app, options); },
      [&] {
        cli::prepare_libraries(argv);
        return run(options);
      });
}
