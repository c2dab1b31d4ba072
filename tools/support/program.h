#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

/// The main() of every program: how it answers --help and --version, and how it ends.
namespace bzscr::cli {

constexpr int kExitDone = 0;
constexpr int kExitBug = 1;  ///< something that must not happen; the message says what to report
constexpr int kExitBadInput = 2;  ///< wrong input or options, or the system lacks something
constexpr int kExitInterrupted = 130;

/// How the work ended: its own exit code and no message, or the message for the exception it threw.
struct Outcome {
  int code = kExitDone;
  std::string message{};
};

/// Runs the work of a program and turns what it throws into a message, "PROGRAM: ...", and a code:
///   InputError, bzscr::Error (bzscr_rt.hpp), out of memory, failures of the system   2
///   InputError of kind kInterrupted                                                130
///   any other exception is a bug; the message says so, and what to report            1
/// An error of an option (Place::option) begins with the option as it is typed: "--max-iterations is
/// 0; expected ...". Output that could not be written (a full disk, a closed pipe) is an error too.
Outcome outcome_of(const char* program, int argc, const char* const* argv,
                   const std::function<int()>& work);

/// The whole of a main(): the same, with the message on standard error.
int run_program(const char* program, int argc, const char* const* argv,
                const std::function<int()>& work);

struct Program {
  const char* name;          ///< "bzscr-eval"
  std::string introduction;  ///< what it does, for the beginning of --help
  std::string more{};        ///< for its end: what is read, examples
};

/// The same for a program with one set of options, which are parsed before the work; --help, which
/// ends with the exit codes, and --version are answered.
/// \param describe  adds the options
int run_program(const Program& program, int argc, const char* const* argv,
                const std::function<void(CLI::App&)>& describe, const std::function<int()>& work);

/// The text on standard error. Where that cannot be written (a full disk, a pipe or a terminal that
/// was closed) nobody reads it, and the work goes on.
void print_error(const std::string& text);

/// "bzscr-eval: note: TEXT" on standard error, which may hold what standard output, read by another
/// program, may not.
void print_note(const char* program, const std::string& text);

}  // namespace bzscr::cli
