#include "cli_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>

namespace bzscr::cli {
namespace {

// Letters added, left out, changed, or two neighbours swapped.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// What of the command line no option took; the first that looks like an option is the one to speak of.
std::string explain_extra(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& each) { return each[0] == '-'; });
  if (option == extras.end()) return extras.empty() ? "" : fmt::format("'{}' is one argument too many", extras.front());
  const std::string name = option->substr(0, option->find('='));
  const std::string nearest = nearest_word(name, option_names(app));
  if (nearest.empty()) return fmt::format("unknown option '{}'; --help lists the options", name);
  return fmt::format("unknown option '{}'; did you mean '{}'?", name, nearest);
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail(const std::string& path) { throw std::runtime_error(path + ": " + std::strerror(errno)); }

}  // namespace

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t least = word.size() / 3 + 2;  // more slips than this, and it is another word
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string listed = fmt::format("{}", fmt::join(words, "|"));
  const auto complaint = [words = std::move(words), listed](const std::string& value) -> std::string {
    if (std::find(words.begin(), words.end(), value) != words.end()) return "";
    const std::string nearest = nearest_word(value, words);
    return fmt::format("'{}' is none of {}{}", value, listed, nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
  };
  return CLI::Validator(complaint, listed, "one_of");
}

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv) {
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

std::unique_ptr<std::uint8_t, AlignedFile::Free> aligned_memory(std::size_t size) {
  void* block = nullptr;
  if (posix_memalign(&block, 32, size) != 0) throw std::bad_alloc();
  return std::unique_ptr<std::uint8_t, AlignedFile::Free>(static_cast<std::uint8_t*>(block));
}

AlignedFile read_aligned(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) fail(path);
  const long size = std::ftell(file.get());
  if (size < 0 || std::fseek(file.get(), 0, SEEK_SET) != 0) fail(path);
  if (size == std::numeric_limits<long>::max()) throw std::runtime_error(path + ": expected a file, found a folder");
  AlignedFile read{aligned_memory(static_cast<std::size_t>(size)), static_cast<std::size_t>(size)};
  if (std::fread(read.bytes.get(), 1, read.size, file.get()) != read.size) fail(path);
  return read;
}

}  // namespace bzscr::cli
