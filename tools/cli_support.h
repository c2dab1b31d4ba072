#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What the programs share at their edge: the command line and the model file.
namespace bzscr::cli {

constexpr int kExitBadInput = 2;

/// In the order of bzscr_rt_storage.
constexpr const char* kStorages[] = {"float32", "int8", "float16"};

/// For Option::check: the value is one of these words; otherwise the nearest is named.
CLI::Validator one_of(std::vector<std::string> words);

/// For Option::check: one of these words or the name of a .npy file.
CLI::Validator word_or_npy(std::vector<std::string> words);

/// An option whose words stand for values, such as those of an enumeration.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value, const std::map<std::string, Value>& words,
                        const std::string& description) {
  std::vector<std::string> names;
  for (const auto& [word, unused] : words) names.push_back(word);
  const auto set = [&value, words](const std::string& word) { value = words.at(word); };
  return app.add_option_function<std::string>(name, set, description)->check(one_of(names));
}

/// Parses the command line. A value is the code to exit with at once: 0 after --help or --version,
/// kExitBadInput after one sentence on standard error, which for an unknown option names the nearest one.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv);

/// Columns that UTF-8 text takes on a terminal, where every character takes one: its continuation bytes take none.
std::size_t width_of(const std::string& text);

/// Two digits a byte.
std::string hexadecimal(const std::uint8_t* bytes, std::size_t size);

/// The rest of a main() whose failures are all the user's to mend: 0 after `work`, kExitBadInput after an exception,
/// whose words go to standard error after the program's name.
int run_program(const char* program, const std::function<void()>& work);

/// A file in memory that the runtime accepts: 32-byte aligned. Not mapped: a file that is replaced
/// meanwhile cannot pull the pages away.
struct AlignedFile {
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes;
  std::size_t size = 0;
};

/// Uninitialised memory, 32-byte aligned. Throws std::bad_alloc.
std::unique_ptr<std::uint8_t, AlignedFile::Free> aligned_memory(std::size_t size);

/// Throws std::runtime_error, "PATH: why".
AlignedFile read_aligned(const std::string& path);

}  // namespace bzscr::cli
