#include "support/command_line.h"

#include "base/spelling.h"
#include "support/program.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace bzscr::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// What of the command line no option took; the first that looks like an option is the one to speak
// of.
std::string explain_extra(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true), commands = command_names(app);
  const CLI::App* const called =
      app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
  const auto option = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& each) { return each[0] == '-'; });
  const bool wrong_command =
      called == nullptr && !commands.empty() && !extras.empty() && extras.front()[0] != '-';
  if (option == extras.end() || wrong_command) {
    if (extras.empty()) return "";
    if (called != nullptr || commands.empty())
      return fmt::format("'{}' is one argument too many", extras.front());
    const std::string nearest = did_you_mean(extras.front(), commands);
    return fmt::format("unknown command '{}'{}", extras.front(),
                       nearest.empty() ? "; --help lists the commands" : nearest);
  }
  const std::string name = option->substr(0, option->find('='));
  const std::string nearest = did_you_mean(name, option_names(called != nullptr ? *called : app));
  return fmt::format("unknown option '{}'{}", name,
                     nearest.empty() ? "; --help lists the options" : nearest);
}

}  // namespace

CLI::Validator whole_number() {
  return CLI::Validator(
      [](const std::string& value) -> std::string {
        if (!value.empty() && value[0] == '-')
          return fmt::format("'{}' is negative; expected 0 or more", value);
        std::uint64_t number = 0;
        const char* const end = value.data() + value.size();
        const auto [stop, error] = std::from_chars(value.data(), end, number);
        if (error == std::errc() && stop == end) return "";
        return fmt::format("'{}' is not a whole number from 0 to {}", value, UINT64_MAX);
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string listed = fmt::format("{}", fmt::join(words, "|"));
  const auto complaint = [words = std::move(words),
                          listed](const std::string& value) -> std::string {
    if (std::find(words.begin(), words.end(), value) != words.end()) return "";
    return fmt::format("'{}' is none of {}{}", value, listed, did_you_mean(value, words));
  };
  return CLI::Validator(complaint, listed, "one_of");
}

CLI::Validator word_or_npy(std::vector<std::string> words) {
  words.push_back("FILE.npy");
  return CLI::Validator(
      [word = one_of(std::move(words))](std::string& value) {
        const bool is_npy = value.size() > 4 && value.compare(value.size() - 4, 4, ".npy") == 0;
        return is_npy ? std::string() : word(value);
      },
      "", "word_or_npy");
}

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  // CLI11's own choice; named here, so that every compiler puts both into this file, for those that
  // include CLI/App.hpp alone.
  const auto formatter = std::make_shared<CLI::Formatter>();
  formatter->column_width(34);
  app.formatter(formatter);
  app.get_help_ptr()->description("print this help");
  app.config_formatter(std::make_shared<CLI::ConfigTOML>());
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    // A word that no option took is often the reason why another seems to be missing.
    const std::string extra = explain_extra(app);
    fmt::print(stderr, "{}: {}\n", app.get_name(), extra.empty() ? error.what() : extra);
    return kExitBadInput;
  }
}

}  // namespace bzscr::cli
