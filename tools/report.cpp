// bzscr-report: one page of charts and tables on runs of bzscr-train, readable without a network.

#include "support/cli_support.h"
#include "support/command_line.h"

#include <bzscr_train/error.hpp>
#include "base/atomic_file.h"
#include "report/comparison.h"
#include "report/history.h"
#include "report/page.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;

struct Options {
  std::vector<std::string> histories;
  std::string compare, output;
};

std::string read_text(const std::string& path) {
  const cli::AlignedFile file = cli::read_aligned(path);
  return {reinterpret_cast<const char*>(file.bytes.get()), file.size};
}

void run(const Options& options) {
  if (options.histories.empty() && options.compare.empty())
    throw InputError("nothing to report; expected HISTORY or --compare FILE");
  expect_writable(options.output);
  std::vector<report::Run> runs;
  for (const std::string& path : options.histories) {
    runs.push_back(report::read_history(read_text(path), path));
    if (!runs.back().note.empty()) fmt::print(stderr, "bzscr-report: note: {}\n", runs.back().note);
  }
  std::optional<report::Comparison> comparison;
  if (!options.compare.empty())
    comparison = report::read_comparison(read_text(options.compare), options.compare);
  const std::string page = report::page(runs, comparison);
  write_file_atomically(options.output, {page.begin(), page.end()});
  fmt::print(
      "{}: {} {}{}, {} bytes\n", options.output, runs.size(), runs.size() == 1 ? "run" : "runs",
      comparison ? fmt::format(" and a comparison of {} methods", comparison->methods.size()) : "",
      page.size());
}

void describe_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "bzscr-report " BZSCR_VERSION);
  app.add_option("HISTORY", options.histories,
                 "What bzscr-train --history wrote; several: side by side, and each for itself");
  app.add_option("--compare", options.compare,
                 "What bzscr-compare --json printed: the table of methods")
      ->type_name("FILE");
  app.add_option("-o,--output", options.output, "The page to write")
      ->required()
      ->type_name("FILE.html");
  app.footer(
      "The page holds all that it shows: style, data, and what draws it. It has: error on "
      "training, validation and test\n"
      "classes by iteration (as recorded: see bzscr-train --curves), the effect of beta, the "
      "objective and its certified\n"
      "gap, the share of selected samples, accuracy of each unseen class, their confusion, and the "
      "settings.\n"
      "\n"
      "Examples:\n"
      "  bzscr-train data/awa --history run.jsonl --curves test -o awa.bzscr\n"
      "  bzscr-report run.jsonl -o run.html\n"
      "  bzscr-report bzscr.jsonl boosting.jsonl -o both.html        # curves of both in one "
      "chart\n"
      "  bzscr-compare data/awa --json > compare.json && bzscr-report run.jsonl --compare "
      "compare.json -o awa.html\n"
      "\n"
      "Exit codes: 0 done, 2 wrong input or options; what is wrong with a history is told with its "
      "line.");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Makes one HTML page of the histories that bzscr-train writes, readable without a network.",
      "bzscr-report");
  describe_options(app, options);
  if (const std::optional<int> exit_code = cli::parse_command_line(app, argc, argv))
    return *exit_code;
  return cli::run_program("bzscr-report", [&] { run(options); });
}
