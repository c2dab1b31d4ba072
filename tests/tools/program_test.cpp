// The common behaviour of all programs: exit codes, messages, tables.
#include "support/program.h"
#include "bzscr_rt/bzscr_rt.h"
#include "run_program.h"
#include "support/tables.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <vector>

using namespace bzscr;
using test::Finished;

namespace {

Finished run(const std::vector<std::string>& arguments) {
  return test::run_program(THROWING_PROGRAM, arguments);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the exit code is that returned by the program's work") {
  const Finished done = run({"nothing", "--max-iterations", "2"});
  CHECK(done.exit_code == 0);
  CHECK(done.out == "done\ndone\n");
  CHECK(done.err.empty());
  CHECK(run({"code"}).exit_code == 7);
}

TEST_CASE(
    "an input or system error gives one line and exit code 2, and an interruption exit code 130") {
  struct Case {
    std::string what, said;
    int exit_code;
  };
  const Case cases[] = {
      {"input", "zoo/labels.npy: row 417 is 53; expected 0 to 49", 2},
      {"runtime", "the model is damaged: changed, truncated, too long, or inconsistent", 2},
      {"memory", "out of memory", 2},
      {"system", "zoo: Permission denied", 2},
      {"interrupted", "interrupted before there was a model", 130},
  };
  for (const Case& each : cases) {
    const Finished finished = run({each.what});
    CHECK(finished.exit_code == each.exit_code);
    CHECK(finished.err == "bzscr-throw: " + each.said + "\n");
    CHECK(finished.out.empty());
  }
}

TEST_CASE("an error about an option begins with the option as the user types it") {
  CHECK(run({"option"}).err == "bzscr-throw: --max-iterations is 0; expected at least 1\n");
}

TEST_CASE(
    "any other exception gives exit code 1 and a bug report with the version and the command") {
  const Finished bug = run({"bug", "--max-iterations", "3"});
  CHECK(bug.exit_code == 1);
  CHECK(bug.out.empty());
  CHECK(bug.err.rfind("bzscr-throw: vector::at\nbzscr-throw: this is a bug in version ", 0) == 0);
  CHECK(contains(bug.err, bzscr_rt_version()));
  CHECK(contains(bug.err, " bug --max-iterations 3\n"));
  const Finished strange = run({"strange-bug"});
  CHECK(strange.exit_code == 1);
  CHECK(contains(strange.err, "this is a bug"));
}

TEST_CASE("help and version are printed on standard output, and help ends with the exit codes") {
  const Finished help = run({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  for (const char* part : {"Throws.", "--max-iterations", "Examples:\n  bzscr-throw bug",
                           "Exit codes: 0 done, 2 wrong"})
    CHECK(contains(help.out, part));
  CHECK(run({"--version"}).out == std::string("bzscr-throw ") + bzscr_rt_version() + "\n");
}

TEST_CASE("unwritable standard output is an error, also for help") {
  const std::string program = THROWING_PROGRAM;
  const auto code = [](const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  CHECK(code(program + " x --max-iterations 1 >/dev/full 2>/dev/null") == 2);
  CHECK(code(program + " x --max-iterations 100000 >/dev/full 2>/dev/null") == 2);
  CHECK(code(program + " --help >/dev/full 2>/dev/null") == 2);
  CHECK(code(program + " x >/dev/full 2>/dev/null") == 0);  // it prints nothing
  CHECK(code(program + " x --max-iterations 1 2>&1 >/dev/full | grep -qx " +
             "'bzscr-throw: standard output: No space left on device'") == 0);
  CHECK(code("{ " + program + " x --max-iterations 100000 2>&1 >&3 | grep -qx " +
             "'bzscr-throw: standard output: Broken pipe'; } 3>&1 | true; true") == 0);
}

TEST_CASE(
    "columns are as wide as their widest cell, with names on the left and numbers on the right") {
  cli::Table table = cli::Table::names_and_numbers({"method", "error rate"});
  table.add({"sje", "0.2500"});
  table.add({"caf\xC3\xA9 \xC3\xA9t\xC3\xA9", "-"});
  CHECK(table.text() ==
        "method    error rate\n"
        "sje           0.2500\n"
        "caf\xC3\xA9 \xC3\xA9t\xC3\xA9           -\n");
  CHECK(table.markdown() ==
        "| method   | error rate |\n"
        "| -------- | ---------: |\n"
        "| sje      |     0.2500 |\n"
        "| caf\xC3\xA9 \xC3\xA9t\xC3\xA9 |          - |\n");
}

TEST_CASE("a row that is printed before the others are known has the minimum column widths") {
  using Column = cli::Table::Column;
  const cli::Table table(std::vector<Column>{{"form", cli::Table::Align::kLeft, 6}, {"p50"}});
  CHECK(table.heading_line() == "form    p50\n");
  CHECK(table.line({"dense", "1.5"}) == "dense   1.5\n");
  CHECK(table.line({"prototypes", "12.25"}) == "prototypes  12.25\n");
  CHECK(table.line({"dense"}) == "dense\n");
}
