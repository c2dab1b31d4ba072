// bzscr-export: a model as a C array, for devices that keep it in flash.
#include "base/atomic_file.h"
#include "support/command_line.h"
#include "support/files.h"
#include "support/model_file.h"
#include "support/program.h"

#include <fmt/format.h>

#include <bzscr_train/error.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using cli::ModelFile;

constexpr const char* kIntroduction =
    "Writes a model as a C header that holds one constant array, for devices that keep it in "
    "flash. The model is\n"
    "checked first, as a device would check it.\n";

constexpr const char* kEpilogue =
    "The header is for C11, C++11 and later. It is to be included by one source file, where it "
    "defines, for\n"
    "-o model.h:\n"
    "  model               the bytes, 32-byte aligned; sizeof model of them\n"
    "  MODEL_ARENA_BYTES   an arena that is large enough, on devices of 32 and of 64 bits\n"
    "so that nothing needs to be allocated:\n"
    "\n"
    "  #include \"model.h\"\n"
    "  static alignas(32) unsigned char arena[MODEL_ARENA_BYTES];\n"
    "  ...\n"
    "  config.model = model;\n"
    "  config.model_bytes = sizeof model;\n"
    "  config.class_capacity = MODEL_CLASS_CAPACITY;\n"
    "  config.storage = MODEL_STORAGE;\n"
    "  config.arena = arena;\n"
    "  config.arena_bytes = sizeof arena;\n"
    "\n"
    "Example:\n"
    "  bzscr-export caltech.bzscr -o firmware/caltech.h --capacity 120 --storage int8";

struct Options {
  std::string model, output, name;
  std::string storage = "float32";
  std::uint32_t class_capacity = 0;
};

bool is_identifier(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '_'); });
}

// From the file's name, where no other was asked for.
std::string array_name(const Options& options) {
  if (!options.name.empty()) {
    if (!is_identifier(options.name))
      throw InputError(Place{"", -1, -1, "", "name"},
                       fmt::format("'{}' is not a name in C", options.name),
                       "letters, digits and '_'");
    return options.name;
  }
  std::string name = std::filesystem::path(options.output).stem().string();
  for (char& c : name)
    if (!is_identifier(std::string("_") + c)) c = '_';
  return is_identifier(name) ? name : "_" + name;
}

// For a comment: nothing that could end it.
std::string plain_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return name;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string header_text(const std::string& name, const ModelFile& file, const bzscr_rt_info& info) {
  const std::string prefix = upper(name);
  std::string text = fmt::format(
      "/* Written by bzscr-export {} from {}. To be included by one source file. */\n"
      "#ifndef BZSCR_EXPORT_{}\n"
      "#define BZSCR_EXPORT_{}\n"
      "\n"
      "#ifndef __cplusplus\n"
      "#include <stdalign.h>\n"
      "#endif\n"
      "\n"
      "/* Room for so many classes, stored so, takes an arena of so many bytes, or a little less "
      "where pointers have 32\n"
      " * bits. Give the same to bzscr_rt_config; storage {} is {}. */\n"
      "#define {}_CLASS_CAPACITY {}\n"
      "#define {}_STORAGE {}\n"
      "#define {}_ARENA_BYTES {}\n"
      "\n"
      "alignas({}) static const unsigned char {}[{}] = {{\n",
      bzscr_rt_version(), plain_name(file.path()), prefix, prefix, info.storage, info.storage_name,
      prefix, info.class_capacity, prefix, info.storage, prefix, info.arena_bytes,
      BZSCR_RT_ALIGNMENT, name, file.size());
  constexpr std::size_t kInLine = 24;
  for (std::size_t at = 0; at < file.size(); at += kInLine) {
    const std::size_t end = std::min(at + kInLine, file.size());
    for (std::size_t i = at; i < end; ++i) text += fmt::format("{},", file.data()[i]);
    text += '\n';
  }
  return text + "};\n\n#endif\n";
}

int run(const Options& options) {
  cli::expect_distinct({options.model}, {options.output});
  expect_writable(options.output);
  const std::string name = array_name(options);
  const ModelFile file(options.model);
  bzscr_rt_config config{};
  config.class_capacity = options.class_capacity;
  config.storage = cli::storage_of(options.storage);
  const bzscr_rt_info info = file.open(config).info();  // all that a device would refuse
  const std::string text = header_text(name, file, info);
  write_file_atomically(options.output, {text.begin(), text.end()});
  fmt::print("{}: {} of {} bytes, with room for {} classes in {}, in an arena of {} bytes\n",
             options.output, name, file.size(), info.class_capacity, info.storage_name,
             info.arena_bytes);
  return cli::kExitDone;
}

void describe_options(CLI::App& app, Options& options) {
  app.add_option("MODEL", options.model, "model file (.bzscr)")->required();
  app.add_option("-o,--output", options.output, "C header to write")->required()->type_name("FILE");
  app.add_option("--name", options.name, "of the array; default: of the header, without .h")
      ->type_name("NAME");
  app.add_option("--capacity", options.class_capacity,
                 "most classes at any one time; default 0: as many as the model holds")
      ->type_name("N");
  app.add_option("--storage", options.storage,
                 "how the device is to keep the values of a class, which changes only the arena's "
                 "size; default float32")
      ->check(cli::one_of(cli::storage_words()));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {"bzscr-export", kIntroduction, kEpilogue}, argc, argv,
      [&](CLI::App& app) { describe_options(app, options); }, [&] { return run(options); });
}
