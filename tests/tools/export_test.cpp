#include "dataset_files.h"
#include "run_program.h"
#include "support/model_builder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

using namespace bzscr;
using namespace bzscr::test;

namespace {

Finished run_export(const std::vector<std::string>& arguments) {
  return run_program(BZSCR_EXPORT, arguments);
}

/// A model file in a temporary folder.
struct Files : TemporaryFolder {
  Files() { write_bytes(model, bytes); }
  static std::string serialised() {
    const AlignedBytes file = serialise(random_model(60, 40, 30, 4));
    return {reinterpret_cast<const char*>(file.data()), file.size()};
  }
  const std::string bytes = serialised();
  const std::string model = *this / "zoo.bzscr", header = *this / "zoo.h";
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The numbers between the braces of the exported array.
std::string array_in(const std::string& text) {
  std::istringstream values(text.substr(text.find('{') + 1));
  std::string bytes;
  for (unsigned value = 0; values >> value; values.get()) bytes += static_cast<char>(value);
  return bytes;
}

long macro_in(const std::string& text, const std::string& name) {
  const std::string line = "\n#define " + name + " ";
  REQUIRE(contains(text, line));
  return std::stol(text.substr(text.find(line) + line.size()));
}

}  // namespace

TEST_CASE("the exported array holds the model's bytes, is aligned, and is named after the header") {
  const Files files;
  const Finished run = run_export({files.model, "-o", files.header});
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.empty());
  CHECK(contains(run.out,
                 files.header + ": zoo of " + std::to_string(files.bytes.size()) + " bytes"));
  const std::string text = read_bytes(files.header);
  CHECK(array_in(text) == files.bytes);
  CHECK(contains(text, "alignas(32) static const unsigned char zoo[" +
                           std::to_string(files.bytes.size()) + "] = {\n"));
  CHECK(macro_in(text, "ZOO_CLASS_CAPACITY") == 4);
}

TEST_CASE("a larger class capacity needs a larger arena") {
  const Files files;
  REQUIRE(run_export({files.model, "-o", files.header}).exit_code == 0);
  const long least = macro_in(read_bytes(files.header), "ZOO_ARENA_BYTES");
  REQUIRE(run_export({files.model, "-o", files.header, "--capacity", "40"}).exit_code == 0);
  CHECK(macro_in(read_bytes(files.header), "ZOO_ARENA_BYTES") > least);
  CHECK(macro_in(read_bytes(files.header), "ZOO_CLASS_CAPACITY") == 40);
}

TEST_CASE("int8 storage needs a smaller arena, and an unknown storage is refused") {
  const Files files;
  REQUIRE(run_export({files.model, "-o", files.header, "--capacity", "100"}).exit_code == 0);
  const long floats = macro_in(read_bytes(files.header), "ZOO_ARENA_BYTES");
  CHECK(macro_in(read_bytes(files.header), "ZOO_STORAGE") == 0);
  REQUIRE(run_export({files.model, "-o", files.header, "--capacity", "100", "--storage", "int8"})
              .exit_code == 0);
  CHECK(macro_in(read_bytes(files.header), "ZOO_ARENA_BYTES") < floats);
  CHECK(macro_in(read_bytes(files.header), "ZOO_STORAGE") == 1);
  CHECK(run_export({files.model, "-o", files.header, "--storage", "int4"}).exit_code == 2);
}

TEST_CASE("the name of the array is a valid C identifier") {
  const Files files;
  REQUIRE(run_export({files.model, "-o", files / "2 zoo-animals.h"}).exit_code == 0);
  CHECK(contains(read_bytes(files / "2 zoo-animals.h"), "char _2_zoo_animals["));
  REQUIRE(run_export({files.model, "-o", files.header, "--name", "animals"}).exit_code == 0);
  CHECK(contains(read_bytes(files.header), "char animals["));
  for (const std::string name : {"2nd", "a b", "caf\xC3\xA9"}) {
    const Finished run = run_export({files.model, "-o", files / "other.h", "--name", name});
    CHECK(run.exit_code == 2);
    CHECK(contains(run.err, "--name: '" + name + "'"));
    CHECK_FALSE(std::filesystem::exists(files / "other.h"));
  }
}

TEST_CASE("a model's file name cannot end the comment of the header") {
  const Files files;
  const std::string model = files / "a\nb*.bzscr";
  write_bytes(model, files.bytes);
  REQUIRE(run_export({model, "-o", files.header}).exit_code == 0);
  CHECK(contains(read_bytes(files.header), " from a_b_.bzscr. "));
}

TEST_CASE("a model that the runtime refuses is not exported, and an existing header is unchanged") {
  const Files files;
  write_bytes(files.header, "before");
  write_bytes(files.model, files.bytes.substr(0, files.bytes.size() - 1));
  Finished run = run_export({files.model, "-o", files.header});
  CHECK(run.exit_code == 2);
  CHECK(run.err == "bzscr-export: " + files.model +
                       ": the model is damaged: changed, truncated, too long, or inconsistent\n");
  write_bytes(files.model, files.bytes);
  run = run_export({files.model, "-o", files.header, "--capacity", "3"});
  CHECK(run.exit_code == 2);
  CHECK(contains(run.err, "more classes"));
  CHECK(read_bytes(files.header) == "before");
  CHECK(run_export({files.model, "-o", files / "nowhere/zoo.h"}).exit_code == 2);
}

TEST_CASE("the model itself is no place for the header") {
  const Files files;
  const Finished run = run_export({files.model, "-o", files.model});
  CHECK(run.exit_code == 2);
  CHECK(contains(run.err, files.model + ": is an input of the program"));
  CHECK(read_bytes(files.model) == files.bytes);
}
