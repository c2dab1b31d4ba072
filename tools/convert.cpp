// bzscr-convert: a data set of any format that bzscr-train reads, as the folder that it maps.

#include "support/cli_support.h"
#include "support/command_line.h"

#include <bzscr_train/error.hpp>
#include "data/dataset.h"
#include "data/dataset_writer.h"
#include "geometry/divergence.h"

#include <bzscr_rt/bzscr_rt.h>

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace bzscr;

struct Options {
  std::string in, out, embedding, divergence, wordnet;
  MissingValues missing = MissingValues::kRefuse;
  bool force = false;
};

void describe_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string("bzscr-convert ") + bzscr_rt_version());
  app.footer(
      "OUT is a folder of features.npy, labels.npy, classes.txt and so on: features stay mapped "
      "there, and training on\n"
      "it gives the model that training on DATA gives. It appears whole or not at all.\n\n" +
      std::string(kDatasetHelp));
  app.add_option("DATA", options.in, "Data set: a folder or an archive, see below")->required();
  app.add_option("OUT", options.out, "Folder to write; must not be there yet")->required();
  app.add_option("--embedding", options.embedding, "Embeddings to write (default: all)")
      ->type_name("NAME[,NAME...]");
  cli::add_choice<MissingValues>(
      app, "--missing", options.missing, missing_value_words(),
      "What an embedding's values that are not known (-1) become (default: refuse)");
  app.add_option("--divergence", options.divergence,
                 "Write divergence.npy, how far apart classes are: cosine (of the embeddings "
                 "written), wordnet, zero-one or FILE.npy (default: that of "
                 "DATA, if it has one)")
      ->check(cli::word_or_npy(divergence_words()))
      ->type_name("KIND");
  app.add_option("--wordnet", options.wordnet,
                 "Folder of WordNet 3.0's data.noun and index.noun (default: WNSEARCHDIR of the "
                 "environment, else /usr/share/wordnet)")
      ->type_name("DIR");
  app.add_flag("--force", options.force, "Replace OUT, if it holds nothing but a data set");
}

const char* word(Storage storage) {
  return storage == Storage::kFloat16   ? "float16"
         : storage == Storage::kFloat32 ? "float32"
                                        : "float64";
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "bzscr-convert: note: {}\n", note);
}

void run(const Options& options) {
  expect_free_for_dataset(options.out, options.force);
  DatasetOptions choice{options.embedding, divergence_file(options.divergence), options.missing};
  choice.all_embeddings = true;
  Dataset data = read_dataset(options.in, choice);
  print_notes(data.notes);
  if (!options.divergence.empty()) {
    Divergence divergence = divergence_of(data, options.divergence, options.wordnet);
    print_notes(divergence.notes);
    data.divergence = std::move(divergence.Delta);
  }
  write_dataset(data, options.out, options.force);
  fmt::print("{}: {} x {} features in {}, {} classes, embedding {} ({})\n{}\n", options.out,
             data.features.rows, data.features.columns, word(data.features.storage),
             data.class_names.size(), data.embedding_name,
             data.embedding_parts.empty()
                 ? fmt::format("{}", data.embeddings.cols())
                 : fmt::format("{}", fmt::join(data.embedding_parts, ", ")),
             describe(split_of(data)));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Writes a data set of any format that bzscr-train reads as a folder.",
               "bzscr-convert");
  describe_options(app, options);
  if (const std::optional<int> exit_code = cli::parse_command_line(app, argc, argv))
    return *exit_code;
  return cli::run_program("bzscr-convert", [&] { run(options); });
}
