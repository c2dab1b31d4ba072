// bzscr-embed: class embeddings from class names and a file of word vectors.

#include "base/atomic_file.h"
#include "base/json.h"
#include "support/command_line.h"
#include "support/files.h"
#include "support/libraries.h"
#include "support/program.h"
#include "support/progress_bar.h"
#include "support/tables.h"

#include <fmt/format.h>

#include <bzscr_train/bzscr_train.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace bzscr;

constexpr const char* kProgram = "bzscr-embed";

constexpr const char* kIntroduction =
    "Makes an embedding of every class name from a file of word vectors (word2vec, GloVe or "
    "fastText), for\n"
    "bzscr-train and for classes that a device is given later.\n";

constexpr const char* kEpilogue =
    "A name has the vector of its whole, as written or joined with '_' or '-' (polar_bear), else "
    "the mean of the\n"
    "vectors of its words. Words are separated by blanks, '+', '-' and '_'. A spelling that "
    "differs in case is "
    "taken where\n"
    "the exact one is not there; a number before a name (001.Zebra) and ConceptNet's /c/en/ may be "
    "missing on the\n"
    "other side. All names without a vector are listed at once, with near words of "
    "the file; put\n"
    "other words in their lines: rows follow the lines of NAMES, which need not be classes.txt "
    "itself.\n"
    "\n"
    "FILE is read once, whatever its size, in a few megabytes of memory:\n"
    "  glove             lines of a word and its numbers\n"
    "  word2vec-text     the same after a first line \"N d\"; fastText's .vec files too\n"
    "  word2vec-binary   GoogleNews-vectors-negative300.bin and its like\n"
    "each as it is or gzipped (.gz).\n"
    "\n"
    "Examples:\n"
    "  bzscr-embed data/classes.txt --vectors glove.6B.300d.txt -o data/embeddings/glove.npy\n"
    "  bzscr-embed new_classes.txt --vectors GoogleNews-vectors-negative300.bin.gz -o "
    "new_classes.npy";

struct Options {
  std::string names, vectors, output, format;
  bool json = false;
};

/// A bar while the file of vectors is read.
class Progress : public train::Events {
 public:
  explicit Progress(const std::string& path) : bar_(true) { bar_.begin("reading " + path); }
  void progress(double fraction) override { bar_.draw(fraction); }

 private:
  cli::ProgressBar bar_;
};

void print_json(const Options& options, const train::NameEmbeddings& made) {
  Json names = Json::array();
  for (std::size_t r = 0; r < made.names.size(); ++r)
    names.push_back(Json::object({{"name", made.names[r]}, {"used", made.used[r]}}));
  const Json out = Json::object({{"output", options.output},
                                 {"vectors", options.vectors},
                                 {"format", made.format},
                                 {"words", made.words},
                                 {"dimension", made.dimension},
                                 {"names", names}});
  fmt::print("{}\n", out.text());
}

void print_text(const Options& options, const train::NameEmbeddings& made) {
  std::size_t width = 0;
  for (const std::string& name : made.names) width = std::max(width, cli::width_of(name));
  for (std::size_t r = 0; r < made.names.size(); ++r)
    fmt::print("{}  {}{}\n", cli::left_aligned(made.names[r], width),
               made.used[r].size() > 1 ? "mean of " : "", fmt::join(made.used[r], ", "));
  fmt::print("{}: {} x {} float32, from {} words of {} ({})\n", options.output, made.names.size(),
             made.dimension, made.words, options.vectors, made.format);
}

train::NameEmbeddings embed(const Options& options) {
  Progress progress(options.vectors);
  train::Context context;
  context.events = &progress;
  return train::embed_names(options.names, options.vectors, options.format, context);
}

int run(const Options& options) {
  cli::expect_distinct({options.names, options.vectors}, {options.output});
  expect_writable(options.output);
  const train::NameEmbeddings made = embed(options);
  if (!made.note.empty()) cli::print_note(kProgram, made.note);
  train::write_npy(options.output, made.vectors.data(),
                   static_cast<std::int64_t>(made.names.size()), made.dimension);
  if (options.json)
    print_json(options, made);
  else
    print_text(options, made);
  return cli::kExitDone;
}

void describe_options(CLI::App& app, Options& options) {
  app.add_option("NAMES", options.names,
                 "text file of names, one a line, such as a data set's classes.txt")
      ->required();
  app.add_option("--vectors", options.vectors, "file of word vectors")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", options.output,
                 ".npy file to write: a row of float32 for each name")
      ->required()
      ->type_name("FILE");
  app.add_option("--format", options.format, "of FILE; default: detected by how it begins")
      ->check(cli::one_of({"glove", "word2vec-text", "word2vec-binary"}));
  app.add_flag("--json", options.json, "print one JSON object instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {kProgram, kIntroduction, kEpilogue}, argc, argv,
      [&](CLI::App& app) { describe_options(app, options); },
      [&] {
        cli::prepare_libraries(argv);
        return run(options);
      });
}
