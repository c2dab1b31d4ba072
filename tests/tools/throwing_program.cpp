// A program for program_test.cpp that uses run_program() and throws what its argument names.
#include "support/command_line.h"
#include "support/program.h"

#include <bzscr_rt/bzscr_rt.hpp>
#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

using namespace bzscr;

int work(const std::string& what, int iterations) {
  if (what == "code") return 7;
  if (what == "input") throw InputError("zoo/labels.npy", "row 417 is 53; expected 0 to 49");
  if (what == "option")
    throw InputError(Place{"", -1, -1, "", "max_iterations"}, fmt::format("is {}", iterations),
                     "at least 1");
  if (what == "interrupted")
    throw InputError(Place{}, "interrupted before there was a model", "", ErrorKind::kInterrupted);
  if (what == "runtime") throw Error(BZSCR_RT_DAMAGED);
  if (what == "memory") throw std::bad_alloc();
  if (what == "system")
    throw std::system_error(std::make_error_code(std::errc::permission_denied), "zoo");
  if (what == "bug") throw std::out_of_range("vector::at");
  if (what == "strange-bug") throw 5;
  for (int i = 0; i < iterations; ++i) fmt::print("done\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string what;
  int iterations = 0;
  return cli::run_program(
      {"bzscr-throw", "Throws.", "Examples:\n  bzscr-throw bug"}, argc, argv,
      [&](CLI::App& app) {
        app.add_option("WHAT", what, "what to throw");
        app.add_option("--max-iterations", iterations, "lines to print");
      },
      [&] { return work(what, iterations); });
}
