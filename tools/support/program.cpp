#include "support/program.h"

#include "support/command_line.h"
#include "support/fatal.h"

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

#include <fcntl.h>

namespace bzscr::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 2 wrong input or options, or the system lacks something, 130 interrupted, "
    "1 a bug.";

/// Replaces the name of a member of an options struct, from `at` on, by the option as it is typed.
void type_option(std::string& text, std::size_t at) {
  const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                [](char c) { return c != '_' && (c < 'a' || c > 'z'); });
  std::replace(text.begin() + static_cast<std::ptrdiff_t>(at), end, '_', '-');
  text.insert(at, "--");
}

std::string message_of(const InputError& error) {
  const std::string &file = error.place().file, mention = "the option ";
  std::string text = error.what();
  if (!error.place().option.empty()) type_option(text, file.empty() ? 0 : file.size() + 2);
  const std::size_t behind = file.size();
  for (std::size_t at = text.find(mention, behind); at != std::string::npos;
       at = text.find(mention, at)) {
    const std::size_t name = at + mention.size();
    if (text.compare(name, 3, "to ") == 0) {  // "the option to replace it"
      at = name;
      continue;
    }
    text.erase(at, mention.size());
    type_option(text, at);
  }
  return text;
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

/// Where the caller has closed a standard stream, the next file that is opened would get its number,
/// and take what is printed. It is held by a descriptor on which every use fails as before.
void hold_standard_streams() {
  for (const int stream : {0, 1, 2})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
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
  hold_standard_streams();
  report_fatal_errors(program);
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
  if (!outcome.message.empty()) print_error(outcome.message + "\n");
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

void print_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void print_note(const char* program, const std::string& text) {
  print_error(fmt::format("{}: note: {}\n", program, text));
}

}  // namespace bzscr::cli
