#include "support/cli_support.h"
#include "base/spelling.h"
#include "support/command_line.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace bzscr::cli;

using bzscr::nearest_name;

TEST_CASE("the nearest word is the one with the fewest typos") {
  const std::vector<std::string> words = {"--json", "--jobs", "--embedding", "--embedding-scaling"};
  CHECK(nearest_name("--jsno", words) == "--json");
  CHECK(nearest_name("--jbos", words) == "--jobs");
  CHECK(nearest_name("--embeding", words) == "--embedding");
  CHECK(nearest_name("--embedding-scalling", words) == "--embedding-scaling");
  CHECK(nearest_name("--json", words) == "--json");
}

TEST_CASE("a word that is not similar to any other has no nearest word") {
  CHECK(nearest_name("--quantise", {"--json", "--jobs"}).empty());
  CHECK(nearest_name("", {}).empty());
  CHECK(nearest_name("x", {}).empty());
  CHECK(nearest_name("x", {"dense", "factors"}).empty());
}

TEST_CASE("one_of accepts its words and lists them in the error for others") {
  const CLI::Validator validator = one_of({"unit", "none"});
  std::string good = "unit";
  std::string bad = "unti";
  CHECK(validator(good).empty());
  CHECK(validator(bad) == "'unti' is none of unit|none; did you mean 'unit'?");
}

TEST_CASE("memory for the runtime is aligned, for any size") {
  for (const std::size_t size : {0u, 1u, 33u, 100000u})
    CHECK(reinterpret_cast<std::uintptr_t>(aligned_memory(size).get()) % 32 == 0);
}
