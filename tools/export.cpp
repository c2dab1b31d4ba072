// bzscr-export: a model as a C array, for devices that keep it in flash.
#include "base/atomic_file.h"
#include "support/cli_support.h"
#include "support/command_line.h"

#include <bzscr_rt/bzscr_rt.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using bzscr::cli::AlignedFile;

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
    "  bzscr-export caltech.bzscr -o firmware/caltech.h --capacity 120 --storage int8\n"
    "\n"
    "Exit codes: 0 done, 2 wrong input or options.";

struct Options {
  std::string model, output, name;
  std::string storage = bzscr::cli::kStorages[BZSCR_RT_STORAGE_FLOAT32];
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
      throw std::runtime_error(fmt::format(
          "--name '{}' is not a name in C: expected letters, digits and '_'", options.name));
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

struct Needs {
  std::uint32_t class_capacity;
  bzscr_rt_storage storage;
  std::size_t arena_bytes;
};

// Opens the model, so that all that a device would refuse is refused here.
Needs check(const Options& options, const AlignedFile& file) {
  const auto require = [&](bzscr_rt_status status) {
    if (status != BZSCR_RT_OK)
      throw std::runtime_error(options.model + ": " + bzscr_rt_status_text(status));
  };
  bzscr_rt_config config{};
  config.struct_size = sizeof config;
  config.model = file.bytes.get();
  config.model_bytes = file.size;
  config.class_capacity = options.class_capacity;
  config.storage =
      static_cast<bzscr_rt_storage>(std::find(std::begin(bzscr::cli::kStorages),
                                              std::end(bzscr::cli::kStorages), options.storage) -
                                    std::begin(bzscr::cli::kStorages));
  require(bzscr_rt_arena_bytes(&config, &config.arena_bytes));
  const auto arena = bzscr::cli::aligned_memory(config.arena_bytes);
  config.arena = arena.get();
  bzscr_rt* handle = nullptr;
  require(bzscr_rt_open(&config, &handle));
  bzscr_rt_info info{};
  info.struct_size = sizeof info;
  require(bzscr_rt_describe(handle, &info));
  return {info.class_capacity, info.storage, info.arena_bytes};
}

std::string header_text(const Options& options, const std::string& name, const AlignedFile& file,
                        const Needs& needs) {
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
      bzscr_rt_version(), plain_name(options.model), prefix, prefix, needs.storage,
      bzscr::cli::kStorages[needs.storage], prefix, needs.class_capacity, prefix, needs.storage,
      prefix, needs.arena_bytes, BZSCR_RT_ALIGNMENT, name, file.size);
  constexpr std::size_t kInLine = 24;
  for (std::size_t at = 0; at < file.size; at += kInLine) {
    const std::size_t end = std::min(at + kInLine, file.size);
    for (std::size_t i = at; i < end; ++i) text += fmt::format("{},", file.bytes.get()[i]);
    text += '\n';
  }
  return text + "};\n\n#endif\n";
}

void run(const Options& options) {
  bzscr::expect_writable(options.output);
  const std::string name = array_name(options);
  const AlignedFile file = bzscr::cli::read_aligned(options.model);
  const Needs needs = check(options, file);
  const std::string text = header_text(options, name, file, needs);
  bzscr::write_file_atomically(options.output, {text.begin(), text.end()});
  fmt::print("{}: {} of {} bytes, with room for {} classes in {}, in an arena of {} bytes\n",
             options.output, name, file.size, needs.class_capacity,
             bzscr::cli::kStorages[needs.storage], needs.arena_bytes);
}

void describe_options(CLI::App& app, Options& options) {
  app.footer(kEpilogue);
  app.set_version_flag("--version", std::string("bzscr-export ") + bzscr_rt_version())
      ->description("print the version");
  app.add_option("MODEL", options.model, "model file (.bzscr)")->required();
  app.add_option("-o,--output", options.output, "C header to write")->required()->type_name("FILE");
  app.add_option("--name", options.name, "of the array; default: of the header, without .h");
  app.add_option("--capacity", options.class_capacity,
                 "most classes at any one time; 0: as many as the model holds")
      ->capture_default_str();
  app.add_option("--storage", options.storage,
                 "how the device is to keep the values of a class; changes only the arena's size")
      ->check(
          bzscr::cli::one_of({std::begin(bzscr::cli::kStorages), std::end(bzscr::cli::kStorages)}))
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app(kIntroduction, "bzscr-export");
  describe_options(app, options);
  if (const auto exit_code = bzscr::cli::parse_command_line(app, argc, argv)) return *exit_code;
  run(options);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "bzscr-export: {}\n", error.what());
  return bzscr::cli::kExitBadInput;
}
