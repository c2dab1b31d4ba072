// bzscr-export: a model for devices that keep it in flash.
#include "base/atomic_file.h"
#include "export_files.h"
#include "support/command_line.h"
#include "support/files.h"
#include "support/model_file.h"
#include "support/program.h"

#include <fmt/format.h>

#include <bzscr_train/error.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using cli::ModelFile;

constexpr const char* kIntroduction =
    "Writes a model as C sources, for devices that keep it in flash. The model is checked first, "
    "as a device would\n"
    "check it.\n";

constexpr const char* kEpilogue =
    "The header is for C11, C++11 and later. For -o model.h it defines, among others:\n"
    "  MODEL_BYTES, MODEL_FEATURES, MODEL_EMBEDDING, MODEL_CLASSES   of the model\n"
    "  MODEL_CLASS_CAPACITY, MODEL_NAME_BYTES, MODEL_FORM, MODEL_STORAGE, MODEL_SHARED   for the "
    "configuration\n"
    "  MODEL_ARENA_BYTES, MODEL_SCRATCH_BYTES   the memory that these need, on devices of 32 and "
    "of 64 bits\n"
    "and, depending on --format:\n"
    "  c       model, the bytes as an array; the header is included by one source file\n"
    "  incbin  model, declared; model.S, to be built too, puts the bytes of model.bin there. "
    "Compiling an array\n"
    "          takes seconds per megabyte, assembling this takes no time\n"
    "  bin     nothing; model.bin is written to flash by itself, at a multiple of 32 bytes\n"
    "so that nothing needs to be allocated:\n"
    "\n"
    "  #include \"model.h\"\n"
    "  alignas(32) static unsigned char arena[MODEL_ARENA_BYTES];\n"
    "  ...\n"
    "  config.model = model;\n"
    "  config.model_bytes = MODEL_BYTES;\n"
    "  config.class_capacity = MODEL_CLASS_CAPACITY;\n"
    "  config.name_bytes = MODEL_NAME_BYTES;\n"
    "  config.form = MODEL_FORM;\n"
    "  config.storage = MODEL_STORAGE;\n"
    "  config.arena = arena;\n"
    "  config.arena_bytes = sizeof arena;\n"
    "\n"
    "Example:\n"
    "  bzscr-export caltech.bzscr -o firmware/caltech.h --capacity 120 --storage int8";

struct Options {
  std::string model, output, name;
  std::string storage = "float32", form = "auto";
  cli::ExportFormat format = cli::ExportFormat::kArray;
  std::uint32_t class_capacity = 0, name_bytes = 0;
  bool shared = false;
};

bzscr_rt_config configuration(const Options& options) {
  bzscr_rt_config config{};
  config.class_capacity = options.class_capacity;
  config.name_bytes = options.name_bytes;
  config.form = cli::form_of(options.form);
  config.storage = cli::storage_of(options.storage);
  config.shared = options.shared ? 1 : 0;
  return config;
}

// Opens the model as a device does, and so refuses all that the device would refuse.
cli::ExportedModel opened(const Options& options, const ModelFile& file) {
  cli::ExportedModel model;
  model.name = options.name.empty()
                   ? cli::identifier_from(std::filesystem::path(options.output).stem().string())
                   : options.name;
  model.source = file.path();
  model.bytes = file.data();
  model.size = file.size();
  bzscr_rt_config config = configuration(options);
  model.info = file.open(config).info();
  for (const bzscr_rt_form form :
       {BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_FORM_FACTORS, BZSCR_RT_FORM_DENSE}) {
    config.form = form;
    try {
      model.arena_bytes.push_back(file.open(config).info().arena_bytes);
    } catch (const InputError&) {
      model.arena_bytes.push_back(std::nullopt);  // too many values for int8, or too large an arena
    }
  }
  return model;
}

int run(const Options& options) {
  const ModelFile file(options.model);
  const cli::ExportedModel model = opened(options, file);
  const std::vector<cli::ExportedFile> files =
      cli::exported_files(model, options.output, options.format);
  std::vector<std::string> outputs;
  for (const cli::ExportedFile& each : files) outputs.push_back(each.path);
  cli::expect_distinct({options.model}, outputs);
  for (const std::string& path : outputs) expect_writable(path);
  for (const cli::ExportedFile& each : files)
    write_file_atomically(each.path, {each.text.begin(), each.text.end()});
  fmt::print("{}: {} of {} bytes, with room for {} classes in {}, in an arena of {} bytes\n",
             fmt::join(outputs, ", "), model.name, file.size(), model.info.class_capacity,
             model.info.storage_name, model.info.arena_bytes);
  return cli::kExitDone;
}

CLI::Validator identifier() {
  return CLI::Validator(
      [](const std::string& text) {
        const std::string why = cli::why_no_identifier(text);
        return why.empty() ? why : why + "; expected letters, digits and '_'";
      },
      "");
}

void describe_options(CLI::App& app, Options& options) {
  app.add_option("MODEL", options.model, "model file (.bzscr)")->required();
  app.add_option("-o,--output", options.output, "C header to write")->required()->type_name("FILE");
  app.add_option("--name", options.name, "of the array; default: of the header, without .h")
      ->check(identifier())
      ->type_name("NAME");
  cli::add_choice<cli::ExportFormat>(app, "--format", options.format,
                                     {{"c", cli::ExportFormat::kArray},
                                      {"incbin", cli::ExportFormat::kIncbin},
                                      {"bin", cli::ExportFormat::kBinary}},
                                     "c, incbin or bin, as below; default c")
      ->type_name("FORMAT");
  app.add_option("--capacity", options.class_capacity,
                 "most classes at any one time; default 0: as many as the model holds")
      ->type_name("N");
  app.add_option("--name-bytes", options.name_bytes,
                 "room for the name of a class; default 0: the longest name of the model, and at "
                 "least 32")
      ->type_name("N");
  app.add_option("--form", options.form,
                 "how scores are computed: auto, prototypes, factors or dense; default auto")
      ->check(cli::one_of(cli::form_words()));
  app.add_option("--storage", options.storage,
                 "how the values of a class are stored: float32, int8 or float16; default float32")
      ->check(cli::one_of(cli::storage_words()));
  app.add_flag("--shared", options.shared, "classes change while other threads score");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {"bzscr-export", kIntroduction, kEpilogue}, argc, argv,
      [&](CLI::App& app) { describe_options(app, options); }, [&] { return run(options); });
}
