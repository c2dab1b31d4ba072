#pragma once

#include <functional>
#include <string>

/// How all programs end.
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

/// Runs the work of a program and turns what it throws into a message, "PROGRAM: ...", and a code.
/// An error of an option (Place::option) begins with the option as it is typed.
Outcome outcome_of(const char* program, int argc, char** argv, const std::function<int()>& work);

/// The whole of a main(): the same, with the message on standard error. Output that could not be
/// written (a full disk, a closed pipe) is an error too.
int run_program(const char* program, int argc, char** argv, const std::function<int()>& work);

}  // namespace bzscr::cli
