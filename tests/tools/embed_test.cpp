#include "data/dataset.h"
#include "data/formats/npy_file.h"
#include "dataset_files.h"
#include "json.h"
#include "run_program.h"
#include "vector_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace bzscr {
namespace {

using test::Finished;
using Arguments = std::vector<std::string>;

Finished embed(const Arguments& arguments) { return test::run_program(BZSCR_EMBED, arguments); }

/// Three names, and a file of six word vectors of length 2 that covers them.
struct Files : test::TemporaryFolder {
  Files() {
    test::write_bytes(names, "polar+bear\nLeopards\nwater lily\n");
    test::write_bytes(
        vectors, "the 1 1\nleopards 2 -1\nlily 3 5\npolar_bear 4 0.5\nwater 6 -8\npolar 7 7\n");
  }
  const std::string names = *this / "names.txt", vectors = *this / "glove.txt",
                    output = *this / "out.npy";
};

TEST_CASE("embeddings are written in the order of the names, and the words of each are reported") {
  const Files files;
  const Finished run = embed({files.names, "--vectors", files.vectors, "-o", files.output});
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  CHECK(run.out ==
        "polar+bear  polar_bear\n"
        "Leopards    leopards\n"
        "water lily  mean of water, lily\n" +
            files.output + ": 3 x 2 float32, from 6 words of " + files.vectors + " (glove)\n");
  Matrix expected(3, 2);
  expected << 4, 0.5, 2, -1, 4.5, -1.5;
  CHECK(NpyFile(files.output).matrix() == expected);
}

TEST_CASE("--json prints one object and nothing else, also if the file is not in UTF-8") {
  const Files files;
  test::write_bytes(files.vectors, "2 2\nCaf\xE9 1 2\nbear 3 4\n");
  test::write_bytes(files.names, "bear\ncaf\xC3\xA9\n");
  CHECK(embed({files.names, "--vectors", files.vectors, "-o", files.output, "--json"}).exit_code ==
        2);
  test::write_bytes(files.names, "bear\n");
  const Finished run =
      embed({files.names, "--vectors", files.vectors, "-o", files.output, "--json"});
  REQUIRE(run.exit_code == 0);
  const test::Json said = test::Json::parse(run.out);
  CHECK(said.size() == 6);
  CHECK(said["output"] == files.output);
  CHECK(said["vectors"] == files.vectors);
  CHECK(said["format"] == "word2vec-text");
  CHECK(said["words"] == 2);
  CHECK(said["dimension"] == 2);
  CHECK(said["names"] == test::Json::parse(R"([{"name": "bear", "used": ["bear"]}])"));
}

TEST_CASE("all formats, plain or gzipped, give the same embeddings") {
  const Files files;
  const test::Words words = {"leopards", "lily", "water", "polar", "bear"};
  const Matrix vectors = test::short_numbers(5, 33);
  std::string first;
  for (const std::string& bytes :
       {test::glove_bytes(words, vectors), test::word2vec_text_bytes(words, vectors),
        test::word2vec_binary_bytes(words, vectors, true),
        test::word2vec_binary_bytes(words, vectors, false)})
    for (const std::string& stored : {bytes, test::gzip_bytes(bytes)}) {
      test::write_bytes(files.vectors, stored);
      const Finished run = embed({files.names, "--vectors", files.vectors, "-o", files.output});
      CAPTURE(run.err);
      REQUIRE(run.exit_code == 0);
      if (first.empty()) first = test::read_bytes(files.output);
      CHECK(test::read_bytes(files.output) == first);
    }
}

TEST_CASE("an embedding made from a data set's class names can be read with that data set") {
  const test::DataFolder data;
  const std::string vectors = data / "vectors.bin";
  test::write_bytes(
      vectors, test::word2vec_binary_bytes(data.class_names, test::short_numbers(8, 5), false));
  const Finished run = embed({data / "classes.txt", "--vectors", vectors, "--format",
                              "word2vec-binary", "-o", data / "embeddings/names.npy"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(read_dataset(data.path(), {"names"}).embeddings == test::short_numbers(8, 5));
}

TEST_CASE("a file that holds fewer words than it announces is read with a note") {
  const Files files;
  test::write_bytes(files.vectors, "9 2\nleopards 2 -1\nlily 3 5\npolar_bear 4 0.5\nwater 6 -8\n");
  const Finished run = embed({files.names, "--vectors", files.vectors, "-o", files.output});
  CHECK(run.exit_code == 0);
  CHECK(run.err == "bzscr-embed: note: " + files.vectors +
                       ": its header announces 9 words, and it holds 4, all of which were read\n");
  CHECK(NpyFile(files.output).shape() == std::vector<Index>{3, 2});
}

TEST_CASE("an output that is an input, also through a link, is refused and unchanged") {
  const Files files;
  std::filesystem::create_symlink(files.vectors, files / "link.npy");
  const std::string before = test::read_bytes(files.vectors);
  for (const std::string& output : {files.vectors, files.names, files / "link.npy"}) {
    const Finished run = embed({files.names, "--vectors", files.vectors, "-o", output});
    CHECK(run.exit_code == 2);
    CHECK(run.err == "bzscr-embed: " + output +
                         ": is an input of the program; expected another file to write\n");
  }
  CHECK(test::read_bytes(files.vectors) == before);
}

struct Misuse {
  Arguments arguments;
  std::string said;  // FILES stands for the folder
};

TEST_CASE("misuse gives one error message, exit code 2 and no file") {
  const Files files;
  test::write_bytes(files / "bad.txt", "the 1 1\nof 1\n");
  test::write_bytes(files / "more.txt", "polar bear\npolr seal\n");
  test::write_bytes(files / "twice.txt", "lily\nlily\n");
  const Misuse misuses[] = {
      {{}, "NAMES is required; usage: bzscr-embed NAMES --vectors FILE --output FILE [OPTIONS]"},
      {{files.names, "-o", files.output},
       "--vectors is required; usage: bzscr-embed NAMES --vectors FILE --output FILE [OPTIONS]"},
      {{files.names, "--vectors", files.vectors},
       "--output is required; usage: bzscr-embed NAMES --vectors FILE --output FILE [OPTIONS]"},
      {{files.names, "--vectors", files.vectors, "-o", "/nowhere/out.npy"},
       "/nowhere/out.npy: cannot be written: No such file or directory"},
      {{files / "none.txt", "--vectors", files.vectors, "-o", files.output},
       "FILES/none.txt: no such file"},
      {{files / "twice.txt", "--vectors", files.vectors, "-o", files.output},
       "FILES/twice.txt:2: 'lily' was already named in line 1"},
      {{files.names, "--vectors", files / "none.bin", "-o", files.output},
       "FILES/none.bin: no such file"},
      {{files.names, "--vectors", files.path(), "-o", files.output},
       "FILES: is a folder; expected a file"},
      {{files.names, "--vectors", files / "bad.txt", "-o", files.output},
       "FILES/bad.txt:2: 'of' is followed by 1 values; expected 2"},
      {{files.names, "--vectors", files.vectors, "--format", "word2vec-binary", "-o", files.output},
       "FILES/glove.txt: begins with 'the 1 1'; expected 'N d', the numbers of words and of their "
       "values"},
      {{files.names, "--vectors", files.vectors, "--format", "glov", "-o", files.output},
       "--format: 'glov' is none of glove|word2vec-text|word2vec-binary; did you mean 'glove'?"},
      {{files.names, "--vector", files.vectors, "-o", files.output},
       "unknown option '--vector'; did you mean '--vectors'?"},
      {{files / "more.txt", "--vectors", files.vectors, "-o", files.output},
       "FILES/glove.txt: has no vector for 1 of 2 names; expected the whole name or each of its "
       "words to be in the file: replace these names\npolr seal: no 'polr' (did you mean "
       "'polar'?), 'seal'"},
  };
  for (const Misuse& misuse : misuses) {
    std::string said = misuse.said;
    for (std::size_t at; (at = said.find("FILES")) != std::string::npos;)
      said.replace(at, 5, files.path());
    CAPTURE(said);
    const Finished run = embed(misuse.arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(run.err == "bzscr-embed: " + said + "\n");
    CHECK_FALSE(std::filesystem::exists(files.output));
  }
}

TEST_CASE("help shows examples of the formats, on standard output") {
  const Finished help = embed({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  for (const char* text : {"NAMES", "--vectors", "--output", "--format", "--json", "glove",
                           "word2vec-text", "word2vec-binary", ".gz", "Examples:",
                           "bzscr-embed data/classes.txt --vectors", "Exit codes: 0"}) {
    CAPTURE(text);
    CHECK(help.out.find(text) != std::string::npos);
  }
  CHECK(embed({"--version"}).out.rfind("bzscr-embed ", 0) == 0);
}

}  // namespace
}  // namespace bzscr
