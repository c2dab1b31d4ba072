// bzscr-embed: class embeddings from class names and a file of word vectors.

#include <bzscr_train/error.hpp>
#include "base/atomic_file.h"
#include "data/formats/class_files.h"
#include "data/formats/npy_file.h"
#include "data/vectors/name_vectors.h"
#include "support/cli_support.h"
#include "support/command_line.h"
#include "support/progress_bar.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;

constexpr const char* kIntroduction =
    "Makes an embedding of every class name from a file of word vectors (word2vec, GloVe or "
    "fastText), for\n"
    "bzscr-train and for classes that a device is given later.\n";

constexpr const char* kEpilogue =
    "A name has the vector of its whole, as written or joined with '_' or '-' (polar_bear), else "
    "the mean of the\n"
    "vectors of its words. Blanks, '+', '-' and '_' part words. A spelling that differs in case is "
    "taken where\n"
    "the exact one is not there. Names without a vector are all told at once, with near words of "
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
    "new_classes.npy\n"
    "\n"
    "Exit codes: 0 done, 2 wrong input or options.";

struct Options {
  std::string names, vectors, output;
  std::optional<VectorFormat> format;
  bool json = false;
};

void print_json(const Options& options, const WordVectorFile& file,
                const std::vector<std::string>& names, const NameVectors& found) {
  nlohmann::ordered_json out;
  out["output"] = options.output;
  out["vectors"] = options.vectors;
  out["format"] = name_of(file.format());
  out["words"] = file.words();
  out["dimension"] = file.dimension();
  auto& rows = out["names"] = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < names.size(); ++r)
    rows.push_back({{"name", names[r]}, {"used", found.used[r]}});
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_text(const Options& options, const WordVectorFile& file,
                const std::vector<std::string>& names, const NameVectors& found) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, cli::width_of(name));
  for (std::size_t r = 0; r < names.size(); ++r) {
    const std::vector<std::string>& used = found.used[r];
    fmt::print("{}{:{}}  {}{}\n", names[r], "", width - cli::width_of(names[r]),
               used.size() > 1 ? "mean of " : "", fmt::join(used, ", "));
  }
  fmt::print("{}: {} x {} float32, from {} words of {} ({})\n", options.output, names.size(),
             file.dimension(), file.words(), options.vectors, name_of(file.format()));
}

void run(const Options& options) {
  expect_writable(options.output);
  const std::vector<std::string> names = read_class_names(options.names);
  WordVectorFile file(options.vectors, options.format);
  cli::ProgressBar bar(true);
  bar.begin("reading " + options.vectors);
  const NameVectors found =
      find_name_vectors(names, file, [&](double fraction) { bar.draw(fraction); });
  bar.end();
  write_file_atomically(options.output, npy_bytes(found.vectors));
  if (options.json)
    print_json(options, file, names, found);
  else
    print_text(options, file, names, found);
}

void describe_options(CLI::App& app, Options& options) {
  app.footer(kEpilogue);
  app.set_version_flag("--version", "bzscr-embed " BZSCR_VERSION)->description("print the version");
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
  std::vector<std::string> words;
  const VectorFormat formats[] = {VectorFormat::kGlove, VectorFormat::kWord2vecText,
                                  VectorFormat::kWord2vecBinary};
  for (const VectorFormat format : formats) words.push_back(name_of(format));
  const auto set = [&options, formats](const std::string& word) {
    options.format = *std::find_if(std::begin(formats), std::end(formats),
                                   [&](VectorFormat each) { return word == name_of(each); });
  };
  app.add_option_function<std::string>("--format", set,
                                       "of FILE; default: detected by how it begins")
      ->check(cli::one_of(words));
  app.add_flag("--json", options.json, "print one JSON object instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(kIntroduction, "bzscr-embed");
  describe_options(app, options);
  if (const std::optional<int> exit_code = cli::parse_command_line(app, argc, argv))
    return *exit_code;
  try {
    run(options);
    return 0;
  } catch (const InputError& error) {
    fmt::print(stderr, "bzscr-embed: {}\n", error.what());
    return cli::kExitBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bzscr-embed: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bzscr-embed: {} (this is a bug)\n", error.what());
    return 1;
  }
}
