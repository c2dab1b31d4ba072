#include "support/command_line.h"

#include "base/spelling.h"
#include "support/program.h"
#include "support/tables.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <set>
#include <sstream>

#include <sys/ioctl.h>
#include <unistd.h>

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

/// The command that was called, or the program itself.
const CLI::App& called(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands().front();
}

/// The type that the help of an option gives, without what its check adds behind a colon.
std::string type_of(const CLI::Option* option) {
  const std::string type = option->get_type_name();
  return type.substr(0, type.find(':'));
}

/// "; usage: bzscr-train DATA --output FILE [OPTIONS]"
std::string usage(const CLI::App& app) {
  const CLI::App& command = called(app);
  std::string text = "; usage: " + app.get_name();
  if (&command != &app) text += " " + command.get_name();
  if (!command_names(command).empty()) text += " COMMAND";
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool many = option->get_items_expected_max() > 1;
    if (option->get_positional())
      text += fmt::format(option->get_required() ? " {}{}" : " [{}{}]", name, many ? "..." : "");
    else if (option->get_required())
      text += fmt::format(" {} {}", name, type_of(option));
  }
  return text + " [OPTIONS]";
}

/// -q has no nearest word, but may be the beginning of one option alone.
std::string option_beginning(const std::string& letter, const std::vector<std::string>& names) {
  std::string found;
  if (letter.size() != 2) return found;
  for (const std::string& name : names)
    if (name.size() > 3 && name[2] == letter[1]) {
      if (!found.empty()) return "";
      found = name;
    }
  return found.empty() ? found : fmt::format("; did you mean '{}'?", found);
}

// What of the command line no option took; the first that looks like an option is the one to speak
// of.
std::string explain_extra(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true), commands = command_names(app);
  const bool has_command = !app.get_subcommands().empty();
  const auto option = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& each) { return each[0] == '-'; });
  const bool wrong_command =
      !has_command && !commands.empty() && !extras.empty() && extras.front()[0] != '-';
  if (option == extras.end() || wrong_command) {
    if (extras.empty()) return "";
    if (has_command || commands.empty())
      return fmt::format("'{}' is one argument too many{}", extras.front(), usage(app));
    const std::string nearest = did_you_mean(extras.front(), commands);
    return fmt::format("unknown command '{}'{}", extras.front(),
                       nearest.empty() ? "; --help lists the commands" : nearest);
  }
  const std::string name = option->substr(0, option->find('='));
  const std::vector<std::string> known = option_names(called(app));
  const std::string nearest =
      name.size() == 2 ? option_beginning(name, known) : did_you_mean(name, known);
  return fmt::format("unknown option '{}'{}", name,
                     nearest.empty() ? "; --help lists the options" : nearest);
}

/// What the value of an option is to be, by the type that its help gives.
std::string expected_of(const CLI::Option* option) {
  if (option == nullptr) return "a value";
  const std::string type = type_of(option), described = option->get_type_name();
  const auto is = [&](std::initializer_list<const char*> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (described.find('|') != std::string::npos && described.size() > type.size())
    return "one of " + described.substr(type.size() + 1);
  if (is({"N", "INT", "UINT"})) return "a whole number";
  if (is({"X", "FLOAT"})) return "a number";
  if (type.rfind("FILE", 0) == 0) return "a file name";
  if (type.rfind("DIR", 0) == 0) return "a folder";
  return is({"", "TEXT", "KIND", "WHICH"}) ? "a value" : type;
}

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : called(app).get_options())
    if (option->get_name() == name) return option;
  return nullptr;
}

/// Without the sign, digits alone.
bool is_whole(const std::string& text) {
  const std::size_t begin = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return text.size() > begin && text.find_first_not_of("0123456789", begin) == std::string::npos;
}

/// CLI11's message in the words of the other messages. Its exceptions have no members, so its texts
/// are taken apart here and nowhere else; one that is not known is left as it is.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto between = [&](const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin), to = text.find(end, from + begin.size());
    if (from != 0 || to == std::string::npos) return std::string();
    return text.substr(begin.size(), to - begin.size());
  };
  const std::string kind = error.get_name();
  if (kind == "RequiredError") {
    const std::vector<std::string> commands = command_names(called(app));
    if (text.rfind("A subcommand", 0) == 0)
      return fmt::format("a command is required: {}{}", fmt::join(commands, ", "), usage(app));
    return text + usage(app);
  }
  if (kind == "ExcludesError") return text + "; expected one of them";
  if (const std::string name = between("Could not convert: ", " = "); !name.empty()) {
    const std::string value = text.substr(text.find(" = ") + 3);
    const CLI::Option* const option = find_option(app, name);
    if (option != nullptr && option->get_items_expected_max() == 0) return name + " takes no value";
    const std::string expected = expected_of(option);
    if (expected == "a whole number" && is_whole(value))
      return fmt::format("{} is {}, which is out of range", name, value);
    return fmt::format("{} is '{}'; expected {}", name, value, expected);
  }
  const std::string name = between("", ": ");
  if (text.find(" required ") != std::string::npos && text.find(" missing") != std::string::npos)
    return fmt::format("{} has no value; expected {}{}", name, expected_of(find_option(app, name)),
                       usage(app));
  if (const std::size_t at = text.find(": At Most 1 required but received ");
      at != std::string::npos)
    return fmt::format("{} is given {} times; expected once", name,
                       text.substr(text.rfind(' ') + 1));
  if (const std::size_t at = text.find(": Value "); at != std::string::npos) {  // of CLI::Range
    const std::string value = text.substr(at + 8, text.find(' ', at + 8) - at - 8);
    if (const std::size_t range = text.find(" not in range "); range != std::string::npos)
      return fmt::format("{} is {}; expected {}", name, value, text.substr(range + 14));
  }
  if (text.find("Should be true/false") != std::string::npos) return name + " takes no value";
  if (const std::string flag = between("", " was given a disallowed"); !flag.empty())
    return flag + " takes no value";
  return text;
}

/// The first option or argument that was given without text, "--nu ''"; empty: none.
std::string explain_empty(const CLI::App& app) {
  for (const CLI::Option* option : called(app).get_options())
    for (const std::string& value : option->results())
      if (value.empty())
        return fmt::format("{} is empty; expected {}", option->get_name(), expected_of(option));
  return "";
}

// Help

/// Columns of the terminal, or of what COLUMNS says; else 100.
std::size_t help_width() {
  constexpr std::size_t kLeast = 30, kUsual = 100;
  winsize window{};
  const char* const set = std::getenv("COLUMNS");
  const long columns = set != nullptr ? std::strtol(set, nullptr, 10)
                       : ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_col
                                                                          : 0;
  return columns > 0 ? std::max(kLeast, static_cast<std::size_t>(columns)) : kUsual;
}

/// Where the lines that follow a long line begin: under the last text behind a gap of two spaces,
/// as behind the name of an option, or else under its first.
std::size_t hanging_indent(const std::string& line, std::size_t width) {
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  for (std::size_t gap = line.find("  ", indent); gap != std::string::npos && gap < width / 2;) {
    indent = std::min(line.find_first_not_of(' ', gap), line.size());
    gap = line.find("  ", indent);
  }
  return indent < width / 2 ? indent : 0;
}

std::string wrapped_line(std::string line, std::size_t width) {
  const std::size_t indent = hanging_indent(line, width);
  std::string text;
  while (width_of(line) > width) {
    std::size_t cut = line.rfind(' ', width);
    if (cut == std::string::npos || line.find_first_not_of(' ') > cut || cut <= indent)
      cut = line.find(' ', std::max(width, indent));  // one word is longer than a line
    if (cut == std::string::npos) break;
    const std::size_t end = line.find_last_not_of(' ', cut) + 1,
                      next = line.find_first_not_of(' ', cut);
    text += line.substr(0, end) + '\n';
    if (next == std::string::npos) return text;
    line = std::string(indent, ' ') + line.substr(next);
  }
  return text + line + '\n';
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// Whether a line continues the text of a longer one before it, which its writer broke where it
/// suited the source code.
bool goes_on(const std::string& before, std::size_t last, const std::string& line) {
  constexpr std::size_t kBroken = 80, kWriter = 100;
  if (last < kBroken || line.empty()) return false;
  const std::size_t column = hanging_indent(before, kWriter);
  return indent_of(line) == column && (column == 0 || column > indent_of(before));
}

/// Breaks lines at words. Lines of one paragraph are joined first.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string result, before, line;
  std::istringstream in(text);
  std::size_t last = 0;  // the length of the line that `before` ends with
  for (bool first = true; std::getline(in, line); first = false) {
    if (!first && goes_on(before, last, line)) {
      before += ' ' + line.substr(indent_of(line));
    } else {
      if (!first) result += wrapped_line(before, width);
      before = line;
    }
    last = line.size();
  }
  return result + (text.empty() ? "" : wrapped_line(before, width));
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

CLI::Validator some_of(std::vector<std::string> words) {
  return CLI::Validator(
      [word = one_of(std::move(words))](std::string& value) -> std::string {
        std::set<std::string> known;
        for (std::string each : split_at_commas(value)) {
          if (const std::string complaint = word(each); !complaint.empty()) return complaint;
          if (!known.insert(each).second) return fmt::format("'{}' is named twice", each);
        }
        return "";
      },
      "", "some_of");
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; end < text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
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
  constexpr std::size_t kColumn = 34, kNarrow = 70;
  const auto formatter = std::make_shared<CLI::Formatter>();
  const std::size_t width = help_width();
  formatter->column_width(width < kNarrow ? 6 : kColumn);  // narrow: below the name
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    command->formatter(formatter);
  app.get_help_ptr()->description("print this help");
  app.config_formatter(std::make_shared<CLI::ConfigTOML>());
  try {
    app.parse(argc, argv);
    const std::string empty = explain_empty(app);
    if (empty.empty()) return std::nullopt;
    print_error(fmt::format("{}: {}\n", app.get_name(), empty));
    return kExitBadInput;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", wrapped(app.help(), width));
    return kExitDone;
  } catch (const CLI::Success& done) {  // --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    // A word that no option took is often the reason why another seems to be missing.
    const std::string extra = explain_extra(app);
    print_error(
        fmt::format("{}: {}\n", app.get_name(), extra.empty() ? explain(app, error) : extra));
    return kExitBadInput;
  }
}

}  // namespace bzscr::cli
