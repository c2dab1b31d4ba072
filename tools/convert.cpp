// bzscr-convert: a data set of any format that bzscr-train reads, as the folder that it maps.

#include "support/command_line.h"
#include "support/libraries.h"
#include "support/program.h"

#include <fmt/format.h>

#include <bzscr_train/bzscr_train.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace bzscr;
namespace fs = std::filesystem;

constexpr const char* kProgram = "bzscr-convert";

constexpr const char* kEpilogue =
    "OUT is a folder of features.npy, labels.npy, classes.txt and so on: features stay mapped "
    "there, and training on\n"
    "it gives the model that training on DATA gives. It appears whole or not at all.\n\n";

struct Options {
  std::string in, out;
  train::ReadOptions read;
  bool force = false;
};

void describe_options(CLI::App& app, Options& options) {
  app.add_option("DATA", options.in, "data set: a folder or an archive, see below")->required();
  app.add_option("OUT", options.out, "folder to write; must not be there yet")->required();
  app.add_option("--embedding", options.read.embedding, "embeddings to write; default: all")
      ->type_name("NAME[,NAME...]");
  app.add_option("--missing", options.read.missing,
                 "what an embedding's values that are not known (-1) become; default refuse")
      ->check(cli::one_of({"keep", "mean", "refuse", "zero"}));
  app.add_option("--divergence", options.read.divergence,
                 "write divergence.npy, how far apart classes are: cosine (of the embeddings "
                 "written), wordnet, zero-one or FILE.npy; default: that of DATA, if it has one")
      ->check(cli::word_or_npy({"cosine", "wordnet", "zero-one"}))
      ->type_name("KIND");
  app.add_option("--wordnet", options.read.wordnet,
                 "folder of WordNet 3.0's data.noun and index.noun; default: WNSEARCHDIR of the "
                 "environment, else /usr/share/wordnet")
      ->type_name("DIR");
  app.add_flag("--force", options.force, "replace OUT, if it holds nothing but a data set");
}

const char* word(train::Type type) {
  return type == train::Type::kFloat16   ? "float16"
         : type == train::Type::kFloat32 ? "float32"
                                         : "float64";
}

/// The files of a data set folder, or the archive.
std::vector<fs::path> files_of(const std::string& data) {
  std::vector<fs::path> files = {data};
  std::error_code error;
  for (const fs::path& folder : {fs::path(data), fs::path(data) / "embeddings"})
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      if (!entry.is_directory(error)) files.push_back(entry.path());
  return files;
}

/// Throws InputError if --force would remove an input that lies in OUT, or is a link into it. DATA
/// may be OUT itself: then all of it has been read before it is replaced.
void expect_inputs_outside_output(const Options& options) {
  std::error_code error;
  const fs::path out = fs::canonical(options.out, error);
  if (error || !options.force || fs::equivalent(options.in, options.out, error)) return;
  std::vector<fs::path> inputs = files_of(options.in);
  inputs.emplace_back(options.read.divergence);
  for (const fs::path& input : inputs) {
    const fs::path place = fs::canonical(input, error);
    if (error) continue;  // not a file
    if (std::mismatch(out.begin(), out.end(), place.begin(), place.end()).first == out.end())
      throw InputError(options.out, fmt::format("holds the input {}, which would be lost; expected "
                                                "another folder to write",
                                                input.string()));
  }
}

int run(Options options) {
  expect_inputs_outside_output(options);
  train::expect_writable_dataset(options.out, options.force);
  options.read.all_embeddings = true;
  const train::Dataset data = train::Dataset::read(options.in, options.read, {});
  for (const std::string& note : data.notes()) cli::print_note(kProgram, note);
  data.write(options.out, options.force);
  const std::string dimensions = data.embedding_parts().empty()
                                     ? std::to_string(data.embedding_dimension())
                                     : fmt::format("{}", fmt::join(data.embedding_parts(), ", "));
  fmt::print("{}: {} x {} features in {}, {} classes, embedding {} ({})\n{}\n", options.out,
             data.samples(), data.features(), word(data.feature_type()), data.classes().size(),
             data.embedding(), dimensions, data.split().text);
  return cli::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {kProgram, "Writes a data set of any format that bzscr-train reads as a folder.",
       std::string(kEpilogue) + train::dataset_help()},
      argc, argv, [&](CLI::App& app) { describe_options(app, options); },
      [&] {
        cli::prepare_libraries(argv);
        return run(options);
      });
}
