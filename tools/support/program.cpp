#include "support/program.h"

#include <bzscr_rt/bzscr_rt.hpp>
#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace bzscr::cli {
namespace {

std::string message_of(const InputError& error) {
  std::string option = error.place().option;
  if (option.empty()) return error.what();
  std::replace(option.begin(), option.end(), '_', '-');
  const std::string text = error.what();
  return "--" + option + text.substr(error.place().option.size());
}

std::string command_line(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) line += std::string(i == 0 ? "" : " ") + argv[i];
  return line;
}

}  // namespace

Outcome outcome_of(const char* program, int argc, char** argv,
                   const std::function<int()>& work) try {
  const int code = work();
  if (std::fflush(stdout) != 0)
    return {kExitBadInput, fmt::format("{}: standard output: {}", program, std::strerror(errno))};
  return {code, {}};
} catch (const InputError& error) {
  const bool interrupted = error.kind() == ErrorKind::kInterrupted;
  return {interrupted ? kExitInterrupted : kExitBadInput,
          fmt::format("{}: {}", program, message_of(error))};
} catch (const Error& error) {  // of the runtime
  return {kExitBadInput, fmt::format("{}: {}", program, error.what())};
} catch (const std::bad_alloc&) {
  return {kExitBadInput, fmt::format("{}: out of memory", program)};
} catch (const std::exception& error) {
  return {kExitBug,
          fmt::format("{0}: {1}\n{0}: this is a bug in version {2}; please report it with this "
                      "message and the command line: {3}",
                      program, error.what(), bzscr_rt_version(), command_line(argc, argv))};
}

int run_program(const char* program, int argc, char** argv, const std::function<int()>& work) {
  const Outcome outcome = outcome_of(program, argc, argv, work);
  if (!outcome.message.empty()) fmt::print(stderr, "{}\n", outcome.message);
  return outcome.code;
}

}  // namespace bzscr::cli
