#include "data/vectors/name_vectors.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"
#include "vector_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace bzscr {
namespace {

using test::Words;

/// What names become from a file of these words; the vector of the word at place i is (i + 1, -i).
NameVectors found(const Words& names, const Words& words) {
  const test::TemporaryFolder folder;
  Matrix vectors(static_cast<Index>(words.size()), 2);
  for (Index i = 0; i < vectors.rows(); ++i)
    vectors.row(i) << static_cast<double>(i + 1), static_cast<double>(-i);
  test::write_bytes(folder / "v", test::glove_bytes(words, vectors));
  WordVectorFile file(folder / "v", std::nullopt);
  return find_name_vectors(names, file, [](double) {});
}

/// The words that a single name was made of.
Words used(const std::string& name, const Words& words) {
  return found({name}, words).used.front();
}

std::string refusal(const Words& names, const Words& words) {
  try {
    found(names, words);
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find("/v: ") + 4);
  }
  return "accepted";
}

TEST_CASE(
    "a name of one word has the vector of this word, and rows are in the order of the names") {
  const NameVectors result = found({"cat", "ant", "bee"}, {"ant", "bee", "cat"});
  MatrixF expected(3, 2);
  expected << 3, -2, 1, 0, 2, -1;
  CHECK(result.vectors == expected);
  CHECK(result.used == std::vector<Words>{{"cat"}, {"ant"}, {"bee"}});
}

TEST_CASE(
    "a name of several words has the vector of the phrase, or else the mean of the vectors of its "
    "words") {
  for (const char* name : {"polar bear", "polar+bear", "polar_bear", "polar-bear"}) {
    CAPTURE(name);
    CHECK(used(name, {"polar", "bear", "polar_bear"}) == Words{"polar_bear"});
    CHECK(used(name, {"polar", "bear", "polar-bear"}) == Words{"polar-bear"});
    CHECK(used(name, {"bear", "polar"}) == Words{"polar", "bear"});
  }
  CHECK(found({"bear polar"}, {"polar", "seal", "bear"}).vectors ==
        (MatrixF(1, 2) << 2, -1).finished());
  CHECK(used("sea+sea bass", {"bass", "sea"}) == Words{"sea", "sea", "bass"});
}

TEST_CASE(
    "the exact spelling is preferred, then '_', then '-', then the most frequent spelling that "
    "differs in case") {
  CHECK(used("polar-bear", {"polar_bear", "polar-bear"}) == Words{"polar-bear"});
  CHECK(used("polar bear", {"polar-bear", "polar_bear"}) == Words{"polar_bear"});
  CHECK(used("polar bear", {"Polar_Bear", "polar-bear"}) == Words{"polar-bear"});
  CHECK(used("polar bear", {"Polar_Bear", "POLAR-BEAR", "polar", "bear"}) == Words{"Polar_Bear"});
  CHECK(used("Cat", {"CAT", "cat"}) == Words{"CAT"});
  CHECK(used("Cat", {"CAT", "cat", "Cat"}) == Words{"Cat"});
  CHECK(used("Polar bear", {"polar", "Bear", "bear"}) == Words{"polar", "bear"});
}

TEST_CASE("a number before a name, and ConceptNet's prefix of a word, may be missing") {
  CHECK(used("001.Black_footed_Albatross", {"footed", "black", "albatross"}) ==
        Words{"black", "footed", "albatross"});
  CHECK(used("001.Black_footed_Albatross", {"black", "black_footed_albatross"}) ==
        Words{"black_footed_albatross"});
  CHECK(used("012.Zebra", {"zebra", "012.Zebra"}) == Words{"012.Zebra"});
  CHECK(used("polar bear", {"/c/de/polar", "/c/en/polar", "/c/en/bear"}) ==
        Words{"/c/en/polar", "/c/en/bear"});
  CHECK(used("polar bear", {"/c/en/polar_bear"}) == Words{"/c/en/polar_bear"});
  CHECK(used("737.", {"737."}) == Words{"737."});
}

TEST_CASE("of many names without a vector the first are listed, and the others counted") {
  Words names;
  for (int i = 0; i < 1000; ++i) names.push_back("x" + std::to_string(i));
  const std::string text = refusal(names, {"ant"});
  CHECK(text.find("no vector for 1000 of 1000 names") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 201);
  CHECK(text.substr(text.rfind('\n')) == "\nand 800 more");
}

TEST_CASE("a word that occurs twice in the file gets its first vector") {
  CHECK(found({"cat"}, {"ant", "cat", "cat"}).vectors == (MatrixF(1, 2) << 2, -1).finished());
}

TEST_CASE(
    "a name with special characters is found by its exact spelling, or else by its remaining "
    "words") {
  CHECK(used("C++", {"c", "C", "C++"}) == Words{"C++"});
  CHECK(used("C++", {"c", "C"}) == Words{"C"});
  CHECK(used("---", {"---"}) == Words{"---"});
  CHECK(used("_cat_", {"cat"}) == Words{"cat"});
  CHECK(used("\xC3\x89mu", {"emu", "\xC3\x89mu"}) == Words{"\xC3\x89mu"});
  CHECK(used("polar bear", {"cat", "polar bear"}) ==
        Words{"polar bear"});  // a word of a text file may hold blanks
}

TEST_CASE(
    "names without a vector are refused together, with their missing words and the nearest words") {
  const Words words = {"grizzly", "beer", "bear", "cat", "catalogue", "polar_fox"};
  CHECK(refusal({"cat", "polar baer", "grizly bear", "xylophone", "++"}, words) ==
        "has no vector for 4 of 5 names; expected the whole name or each of its words to be in the "
        "file: replace these names\n"
        "polar baer: no 'polar', 'baer' (did you mean 'beer'?)\n"
        "grizly bear: no 'grizly' (did you mean 'grizzly'?)\n"
        "xylophone: no 'xylophone'\n"
        "++: no '++'");
  // Of words as near as each other the more frequent one: it comes first.
  CHECK(refusal({"bears"}, {"beers", "bear"}).find("did you mean 'beers'?") != std::string::npos);
  CHECK(refusal({"bears"}, {"bear", "beers"}).find("did you mean 'bear'?") != std::string::npos);
}

TEST_CASE("an embedding that is all zero is refused with its name and words") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "v", "cat 1 2\nunknown 0 0\nup 1 -1\ndown -1 1\n");
  const auto refused = [&](const std::string& name) {
    WordVectorFile file(folder / "v", std::nullopt);
    try {
      find_name_vectors({"cat", name}, file, [](double) {});
    } catch (const InputError& error) {
      return std::string(error.what()).substr((folder / "v: ").size());
    }
    return std::string("accepted");
  };
  CHECK(refused("Unknown") ==
        "the embedding of 'Unknown', from unknown, is all zero; every class needs a nonzero one");
  CHECK(refused("up+down") ==
        "the embedding of 'up+down', from up, down, is all zero; every class needs a nonzero one");
  CHECK(refused("cat up") == "accepted");
}

TEST_CASE("progress increases up to the end of the file") {
  const test::TemporaryFolder folder;
  const Words words = test::distinct_words(20000);
  test::write_bytes(folder / "v", test::glove_bytes(words, test::short_numbers(20000, 40)));
  WordVectorFile file(folder / "v", std::nullopt);
  double last = 0;
  find_name_vectors({words.back()}, file, [&](double fraction) {
    CHECK(fraction >= last);
    CHECK(fraction <= 1);
    last = fraction;
  });
  CHECK(last > 0.9);
}

}  // namespace
}  // namespace bzscr
