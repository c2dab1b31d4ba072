#include "support/program.h"

#include "support/command_line.h"

#include <bzscr_rt/bzscr_rt.hpp>
#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <system_error>

namespace bzscr::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 2 wrong input or options, or the system lacks something, 130 interrupted, "
    "1 a bug.";

std::string message_of(const InputError& error) {
  const std::string text = error.what(), &member = error.place().option;
  const std::size_t at = member.empty() ? std::string::npos : text.find(member);
  if (at == std::string::npos) return text;
  std::string typed = "--" + member;
  std::replace(typed.begin(), typed.end(), '_', '-');
  return text.substr(0, at) + typed + text.substr(at + member.size());
}

std::string output_message(int code) {
  return fmt::format("standard output: {}", std::strerror(code));
}

/// What is wrong with standard output; empty: nothing. CLI11 writes help by std::cout.
std::string flush_output() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return "";
  return output_message(errno != 0 ? errno : EIO);
}

std::string command_line(int argc, const char* const* argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) line += std::string(i == 0 ? "" : " ") + argv[i];
  return line;
}

Outcome failure(const char* program, const std::string& text, int code = kExitBadInput) {
  return {code, fmt::format("{}: {}", program, text)};
}

Outcome bug(const char* program, int argc, const char* const* argv, const char* what) {
  return {kExitBug,
          fmt::format("{0}: {1}\n{0}: this is a bug in version {2}; please report it with this "
                      "message and the command line: {3}",
                      program, what, bzscr_rt_version(), command_line(argc, argv))};
}

}  // namespace

Outcome outcome_of(const char* program, int argc, const char* const* argv,
                   const std::function<int()>& work) try {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then a write that fails
  const int code = work();
  const std::string unwritten = flush_output();
  return unwritten.empty() ? Outcome{code, {}} : failure(program, unwritten);
} catch (const InputError& error) {
  return failure(program, message_of(error),
                 error.kind() == ErrorKind::kInterrupted ? kExitInterrupted : kExitBadInput);
} catch (const Error& error) {  // of the runtime
  return failure(program, error.what());
} catch (const std::bad_alloc&) {
  return failure(program, "out of memory");
} catch (const std::system_error& error) {  // of std::filesystem and threads, or of fmt's output
  const bool output = std::ferror(stdout) != 0;
  return failure(program, output ? output_message(error.code().value()) : error.what());
} catch (const std::exception& error) {
  return bug(program, argc, argv, error.what());
} catch (...) {
  return bug(program, argc, argv, "an exception of an unknown type");
}

int run_program(const char* program, int argc, const char* const* argv,
                const std::function<int()>& work) {
  const Outcome outcome = outcome_of(program, argc, argv, work);
  if (!outcome.message.empty()) fmt::print(stderr, "{}\n", outcome.message);
  return outcome.code;
}

int run_program(const Program& program, int argc, const char* const* argv,
                const std::function<void(CLI::App&)>& describe, const std::function<int()>& work) {
  return run_program(program.name, argc, argv, [&] {
    CLI::App app(program.introduction, program.name);
    app.set_version_flag("--version", fmt::format("{} {}", program.name, bzscr_rt_version()))
        ->description("print the version");
    app.footer(program.more + (program.more.empty() ? "" : "\n\n") + kExitCodes);
    describe(app);
    const std::optional<int> answered = parse_command_line(app, argc, argv);
    return answered ? *answered : work();
  });
}

void print_note(const char* program, const std::string& text) {
  fmt::print(stderr, "{}: note: {}\n", program, text);
}

}  // namespace bzscr::cli
