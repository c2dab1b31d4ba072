#pragma once

#include <CLI/App.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

/// The command line of the programs. CLI/CLI.hpp adds to CLI/App.hpp how help is written and files
/// of options are read: that makes up most of what compiling it takes, and command_line.cpp has it
/// for all.
namespace bzscr::cli {

/// For Option::check: the value is one of these words; otherwise the nearest is named.
CLI::Validator one_of(std::vector<std::string> words);

/// For Option::check: some of these words, each once, with commas between; split_at_commas() takes
/// them apart.
CLI::Validator some_of(std::vector<std::string> words);
std::vector<std::string> split_at_commas(const std::string& text);

/// For Option::check: one of these words or the name of a .npy file.
CLI::Validator word_or_npy(std::vector<std::string> words);

/// For Option::check: a whole number from 0 that fits 64 bits. CLI11 alone reads -1 and 2^64 as the
/// largest one.
CLI::Validator whole_number();

/// An option whose words stand for values, such as those of an enumeration.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::map<std::string, Value>& words, const std::string& description) {
  std::vector<std::string> names;
  for (const auto& [word, unused] : words) names.push_back(word);
  const auto set = [&value, words](const std::string& word) { value = words.at(word); };
  return app.add_option_function<std::string>(name, set, description)->check(one_of(names));
}

/// Parses the command line. A value is the code to exit with at once: 0 after --help, which is
/// wrapped at the width of the terminal, or --version; kExitBadInput after one sentence on standard
/// error, which for an unknown option names the nearest one, and for a missing argument or command
/// ends with the usage. An empty value is refused for every option.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv);

}  // namespace bzscr::cli
