#include "data/wordnet/wordnet_files.h"

#include <bzscr_train/error.hpp>
#include "wordnet_builder.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

namespace bzscr {
namespace {

using test::read_bytes;
using test::write_bytes;
using Ids = std::vector<SynsetId>;

TEST_CASE("a synset id is the letter n and eight digits") {
  CHECK(synset_text(2129165) == "n02129165");
  CHECK(parse_synset_id("n02129165") == SynsetId{2129165});
  CHECK(parse_synset_id("n00000000") == SynsetId{0});
  CHECK(parse_synset_id("n99999999") == SynsetId{99999999});
  for (const char* text : {"", "n", "02129165", "v02129165", "N02129165", "n2129165", "n021291655",
                           "n0212916x", "n-2129165", "n 2129165"})
    CHECK_FALSE(parse_synset_id(text));
}

TEST_CASE("a synset exists only at the offset of the beginning of its line") {
  const test::WordNetFolder folder(test::animals());
  const WordNetNouns nouns(folder.path());
  const std::string data = read_bytes(folder / "data.noun");
  std::size_t found = 0;
  for (SynsetId id = 0; id < data.size() + 100; ++id) found += nouns.has(id);
  CHECK(found == test::animals().size());
  for (const test::TestSynset& synset : test::animals()) CHECK(nouns.has(folder.id(synset.key)));
  CHECK_FALSE(nouns.has(4294967295u));
  CHECK_THROWS_WITH_AS(nouns.synset(5),
                       (folder / "data.noun: n00000005: no synset starts at this offset").c_str(),
                       InputError);
}

TEST_CASE(
    "hypernyms are the direct ones, including the classes of an instance, and definitions contain "
    "no examples") {
  const test::WordNetFolder folder(test::animals());
  const WordNetNouns nouns(folder.path());
  const auto synset = [&](const char* key) { return nouns.synset(folder.id(key)); };
  CHECK(synset("entity").hypernyms.empty());
  CHECK(synset("eel").hypernyms == Ids{folder.id("fish")});
  CHECK(synset("hen").hypernyms == Ids{folder.id("bird"), folder.id("pet")});
  CHECK(synset("Laika").hypernyms == Ids{folder.id("dog")});
  CHECK(synset("entity").definition == "what exists");
  CHECK(synset("animal").definition == "a living organism that moves");
}

TEST_CASE("a noun is found with any case and separators") {
  const test::WordNetFolder folder(test::animals());
  const NounIndex index(folder.path());
  for (const char* name : {"polar bear", "polar+bear", "polar-bear", "Polar_bear", "POLAR BEAR"})
    CHECK(index.senses(name) == Ids{folder.id("polar bear")});
  CHECK(index.senses("ursus maritimus") == Ids{folder.id("polar bear")});
  CHECK(index.senses("cricket_bat") == Ids{folder.id("club")});
  CHECK(index.senses("bat") == Ids{folder.id("bat"), folder.id("club")});
  CHECK(index.senses("polarbear").empty());
  CHECK(index.senses("").empty());
  CHECK(index.did_you_mean("polr bear") == "; did you mean 'polar_bear'?");
  CHECK(index.did_you_mean("xylophone").empty());
}

TEST_CASE(
    "a noun that the index spells with a hyphen and with a blank has the senses of both, once "
    "each") {
  const test::WordNetFolder folder({{"ray", {"x-ray", "x_ray"}, {}}, {"picture", {"x_ray"}, {}}});
  CHECK(NounIndex(folder.path()).senses("X ray") == Ids{folder.id("ray"), folder.id("picture")});
}

TEST_CASE("the lion of WordNet is found with its hypernym and definition") {
  const WordNetNouns nouns(wordnet_folder(""));
  const NounIndex index(wordnet_folder(""));
  CHECK(nouns.has(2129165));
  CHECK(nouns.synset(2129165).hypernyms == Ids{2127808});
  CHECK(nouns.synset(2127808).definition ==
        "any of several large cats typically able to roar and living in the wild");
  const Ids lions = index.senses("Lion");
  CHECK(lions.size() == 4);
  CHECK(lions.front() == 2129165);
  CHECK(index.senses("Panthera leo") == Ids{2129165});
  CHECK(index.did_you_mean("okapii") == "; did you mean 'okapi'?");
}

TEST_CASE("the folder is the given one, or else WNSEARCHDIR, or else Debian's") {
  CHECK(wordnet_folder("here") == "here");
  ::setenv("WNSEARCHDIR", "/opt/wordnet", 1);
  CHECK(wordnet_folder("here") == "here");
  CHECK(wordnet_folder("") == "/opt/wordnet");
  ::setenv("WNSEARCHDIR", "", 1);
  CHECK(wordnet_folder("") == "/usr/share/wordnet");
  ::unsetenv("WNSEARCHDIR");
  CHECK(wordnet_folder("") == "/usr/share/wordnet");
}

TEST_CASE("a folder without the files is refused with advice") {
  const test::TemporaryFolder folder;
  const std::string expected =
      ": no such file; expected the database of WordNet 3.0: install the package wordnet-base, or "
      "give its folder by the option wordnet";
  CHECK_THROWS_WITH_AS(WordNetNouns{folder.path()}, (folder / "data.noun" + expected).c_str(),
                       InputError);
  CHECK_THROWS_WITH_AS(NounIndex{folder.path()}, (folder / "index.noun" + expected).c_str(),
                       InputError);
}

TEST_CASE("a malformed line is refused with its place, what was found and what was expected") {
  const test::TemporaryFolder folder;
  const auto data = [&](const std::string& line) {
    write_bytes(folder / "data.noun", "00000000" + line);
    try {
      WordNetNouns(folder.path()).synset(0);
    } catch (const InputError& error) {
      return std::string(error.what()).substr((folder / "data.noun: ").size());
    }
    return std::string("accepted");
  };
  CHECK(data(" 05 n 01 ant 0 001 @ 00000007 n 0000 | a gloss  \n") == "accepted");
  CHECK(data(" 05 n 01 ant 0 000") == "accepted");
  CHECK(data(" 05 n 01 ant 0 00") == "accepted");
  CHECK(data(" 05 n") == "n00000000: the line ends early; expected a count of words");
  CHECK(data(" 05 n xx ant 0 000 | \n") ==
        "n00000000: 'xx' is not a number; expected a count of words");
  CHECK(data(" 05 n ffffffff ant 0 000 | \n") ==
        "n00000000: the line ends early; expected a sense number");
  CHECK(data(" 05 n 01 ant 0 002 @ 00000007 n 0000 | \n") ==
        "n00000000: the line ends early; expected a pointer");
  CHECK(data(" 05 n 01 ant 0 001 @ 0000000x n 0000 | \n") ==
        "n00000000: '0000000x' is not a number; expected an offset");
  CHECK(data(" 05 n 01 ant 0 001 @ 99999999999 n 0000 | \n") ==
        "n00000000: '99999999999' is not a number; expected an offset");
  CHECK(data("\n") == "n00000000: no synset starts at this offset");

  const auto index = [&](const std::string& lines) {
    write_bytes(folder / "index.noun", lines);
    try {
      NounIndex{folder.path()};
    } catch (const InputError& error) {
      return std::string(error.what()).substr((folder / "index.noun:").size());
    }
    return std::string("accepted");
  };
  CHECK(index("  1 licence\nant n 1 1 @ 1 0 00000007  \n") == "accepted");
  CHECK(index("  1 licence\nant n 1 1 @ 1 0 00000007  \nbee n 2 1 @ 1 0 00000007  \n") ==
        "3: the line ends early; expected an offset");
  CHECK(index("ant n one 1 @ 1 0 00000007\n") ==
        "1: 'one' is not a number; expected a count of synsets");
  CHECK(index("ant n 1 -1 @ 1 0 00000007\n") ==
        "1: '-1' is not a number; expected a count of pointers");
  CHECK(index("\n") == "1: the line ends early; expected a noun");
  CHECK(index("ant") == "1: the line ends early; expected a part of speech");
}

// Whatever the bytes: an answer or an InputError.
void read_all(const std::string& folder) {
  try {
    const WordNetNouns nouns(folder);
    for (SynsetId id = 0; id < 4000; ++id) try {
        if (nouns.has(id)) nouns.synset(id);
      } catch (const InputError&) {}
  } catch (const InputError&) {}
  try {
    NounIndex(folder).senses("bat");
  } catch (const InputError&) {}
}

TEST_CASE("files that are truncated at any byte, or with any byte changed, are read or refused") {
  const test::WordNetFolder folder(test::animals());
  const std::string data = read_bytes(folder / "data.noun"),
                    index = read_bytes(folder / "index.noun");
  for (std::size_t size = 0; size < std::max(data.size(), index.size()); size += 7) {
    write_bytes(folder / "data.noun", data.substr(0, size));
    write_bytes(folder / "index.noun", index.substr(0, size));
    read_all(folder.path());
  }
  std::mt19937 random(3);
  for (int change = 0; change < 300; ++change) {
    std::string changed_data = data, changed_index = index;
    changed_data[random() % data.size()] = static_cast<char>(random());
    changed_index[random() % index.size()] = static_cast<char>(random());
    write_bytes(folder / "data.noun", changed_data);
    write_bytes(folder / "index.noun", changed_index);
    read_all(folder.path());
  }
}

}  // namespace
}  // namespace bzscr
