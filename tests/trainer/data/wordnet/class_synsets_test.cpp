#include "data/wordnet/class_synsets.h"

#include <bzscr_train/error.hpp>
#include "data/formats/class_files.h"
#include "wordnet_builder.h"

#include <doctest/doctest.h>

#include <functional>

namespace bzscr {
namespace {

using Ids = std::vector<SynsetId>;
using Names = std::vector<std::string>;

Dataset classes(const Names& names, const Ids& synsets = {}) {
  Dataset data;
  data.folder = "zoo";
  data.synsets_where = "zoo/synsets.txt";
  data.class_names = names;
  data.synsets = synsets;
  return data;
}

struct Found {
  Ids synsets;
  Names notes;
};

Found found(const test::WordNetFolder& folder, const Dataset& data) {
  Found result;
  result.synsets = class_synsets(data, WordNetNouns(folder.path()), result.notes);
  return result;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a class is found by its id, whatever its name") {
  const test::WordNetFolder folder(test::animals());
  const Found at =
      found(folder, classes({"bat", "unheard of"}, {folder.id("club"), folder.id("eel")}));
  CHECK(at.synsets == Ids{folder.id("club"), folder.id("eel")});
  CHECK(at.notes.empty());
}

TEST_CASE("without ids a class is found by its name in any spelling, and its sense is noted") {
  const test::WordNetFolder folder(test::animals());
  const Found at = found(folder, classes({"polar+bear", "Ant", "Chiropteran"}));
  CHECK(at.synsets == Ids{folder.id("polar bear"), folder.id("ant"), folder.id("bat")});
  CHECK(at.notes ==
        Names{"'polar+bear' is mapped to " + folder.text("polar bear") +
                  " of WordNet: white bear of Arctic regions",
              "'Ant' is mapped to " + folder.text("ant") + " of WordNet: a social insect",
              "'Chiropteran' is mapped to " + folder.text("bat") +
                  " of WordNet: nocturnal mouselike mammal"});
}

TEST_CASE(
    "names without exactly one sense are refused together, with all senses in the format of "
    "synsets.txt") {
  const test::WordNetFolder folder(test::animals());
  const std::string said = refusal([&] {
    found(folder, classes({"ant", "bat", "polar baer", "xylophone"}));
  });
  CHECK(said ==
        "zoo: 3 of 4 class names do not have exactly one sense in WordNet; expected "
        "zoo/synsets.txt, with the id of each "
        "class: keep the right one of these lines for every class\n" +
            folder.text("ant") + " ant: a social insect\n" + folder.text("bat") +
            " bat: nocturnal mouselike mammal\n" + folder.text("club") +
            " bat: a club for hitting a ball\n" +
            "? polar baer: no noun of WordNet; did you mean 'polar_bear'?\n"
            "? xylophone: no noun of WordNet");
}

TEST_CASE("the right lines of that error message are a valid synsets.txt") {
  const test::WordNetFolder folder(test::animals());
  const Names names = {"ant", "bat", "eel"};
  std::string lines = refusal([&] { found(folder, classes(names)); });
  lines.erase(0, lines.find('\n') + 1);
  lines.erase(lines.find(folder.text("club")),
              lines.find(folder.text("eel")) - lines.find(folder.text("club")));
  test::write_bytes(folder / "synsets.txt", lines);
  const Ids ids = read_synset_ids(folder / "synsets.txt", names.size());
  CHECK(found(folder, classes(names, ids)).synsets ==
        Ids{folder.id("ant"), folder.id("bat"), folder.id("eel")});
}

TEST_CASE("an id that WordNet does not have is refused with its line and class") {
  const test::WordNetFolder folder(test::animals());
  CHECK(refusal([&] {
          found(folder, classes({"ant", "bee"}, {folder.id("ant"), 17}));
        }) == "zoo/synsets.txt: id 2: no synset n00000017 ('bee') is in " +
                  folder / "data.noun; expected ids of WordNet 3.0");
}

TEST_CASE("classes that share a synset are accepted with a note") {
  const test::WordNetFolder folder(test::animals());
  const SynsetId cat = folder.id("cat");
  CHECK(found(folder, classes({"tabby", "dog", "tom"}, {cat, folder.id("dog"), cat})).notes ==
        Names{"'tabby' and 'tom' are both " + folder.text("cat") +
              ", so their WordNet divergence is 0"});
}

}  // namespace
}  // namespace bzscr
