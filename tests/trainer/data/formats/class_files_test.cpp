#include "data/formats/class_files.h"

#include <bzscr_train/error.hpp>
#include "base/spelling.h"
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <string>

namespace bzscr {
namespace {

using Names = std::vector<std::string>;

struct ClassFile {
  explicit ClassFile(const std::string& text) { test::write_bytes(path(), text); }
  std::string path() const { return folder / "c.txt"; }
  Names names() const { return read_class_names(path()); }
  std::string refusal() const {
    try {
      names();
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder.path().size() + 1);
    }
    return "accepted";
  }
  test::TemporaryFolder folder;
};

std::vector<Index> read_list(const ClassFile& file, const Names& names) {
  return read_class_list(file.path(), ClassRows(names, "classes.txt"));
}

TEST_CASE(
    "names are the same with either line ending, with a byte order mark, and without a last "
    "newline") {
  const Names expected = {"polar bear", "zebra", "\xC3\xA9l\xC3\xA9phant"};
  CHECK(ClassFile("polar bear\nzebra\n\xC3\xA9l\xC3\xA9phant\n").names() == expected);
  CHECK(ClassFile("polar bear\r\nzebra\r\n\xC3\xA9l\xC3\xA9phant\r\n").names() == expected);
  CHECK(ClassFile("\xEF\xBB\xBFpolar bear\nzebra\n\xC3\xA9l\xC3\xA9phant").names() == expected);
  CHECK(ClassFile("polar bear\rzebra\r\xC3\xA9l\xC3\xA9phant\r").names() == expected);
  for (const char* end : {"\n\n", "\n \t\n\n", "\r\n\r\n", "\n\n\t"})  // blank lines at the end
    CHECK(ClassFile("polar bear\nzebra\n\xC3\xA9l\xC3\xA9phant" + std::string(end)).names() ==
          expected);
  CHECK(ClassFile("  polar bear\nzebra \t\n\xC3\xA9l\xC3\xA9phant").names() == expected);
}

TEST_CASE("a line that is not one new name is refused with file and line") {
  CHECK(ClassFile("cat\n\ndog\n").refusal() == "c.txt:2: line is blank; expected a class name");
  CHECK(ClassFile("cat\n \t\r\ndog\n").refusal() ==
        "c.txt:2: line is blank; expected a class name");
  CHECK(ClassFile("cat\ndog\ncat\n").refusal() == "c.txt:3: 'cat' was already named in line 1");
  CHECK(ClassFile("1\tantelope\n").refusal() ==
        "c.txt:1: holds a tab or another control character; expected only a class name");
  CHECK(ClassFile(std::string("cat\nd\0g\n", 8)).refusal() ==
        "c.txt:2: holds a tab or another control character; expected only a class name");
  CHECK(ClassFile("cat\rdog\n").refusal() ==
        "c.txt:1: holds a tab or another control character; expected only a class name");
  CHECK(ClassFile("cat\n\xE9l\xE9phant\n").refusal() == "c.txt:2: is not UTF-8 text");
  CHECK(ClassFile("").refusal() == "c.txt: is empty");
  CHECK(ClassFile("\xEF\xBB\xBF").refusal() == "c.txt: is empty");
  CHECK(ClassFile("\n\r\n \n").refusal() == "c.txt: is empty");
  CHECK(ClassFile("\xFF\xFE"
                  "c")
            .refusal() == "c.txt: is UTF-16 text; expected UTF-8");
}

TEST_CASE("only well-formed UTF-8 is accepted") {
  for (const char* good : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEF\xBF\xBF",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    CHECK(ClassFile(good).refusal() == "accepted");
  for (const char* bad :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF0\x9F\x98", "\xFF"})
    CHECK(ClassFile(bad).refusal() == "c.txt:1: is not UTF-8 text");
}

TEST_CASE("a list becomes ascending rows of the names, whatever its order") {
  const ClassFile file("dog\nant\n");
  CHECK(read_list(file, {"ant", "bee", "dog"}) == std::vector<Index>{0, 2});
}

TEST_CASE("a name that no class has is refused with the nearest name") {
  const ClassFile file("dog\npolr bear\n");
  CHECK_THROWS_WITH_AS(
      read_list(file, {"dog", "polar bear"}),
      (file.path() + ":2: 'polr bear' is not in classes.txt; did you mean 'polar bear'?").c_str(),
      InputError);
  CHECK_THROWS_WITH_AS(read_list(file, {"dog", "whale"}),
                       (file.path() + ":2: 'polr bear' is not in classes.txt").c_str(), InputError);
}

TEST_CASE("synset ids are read one per line, and text after a blank is ignored") {
  const ClassFile file(
      "\xEF\xBB\xBFn02129165\r\n n02128385 leopard: a feline\nn02129165\ttab\tand again");
  CHECK(read_synset_ids(file.path(), 3) == std::vector<SynsetId>{2129165, 2128385, 2129165});
}

TEST_CASE("a list without a valid synset id for every class is refused with file and line") {
  const auto refusal = [](const std::string& text, std::size_t classes) {
    const ClassFile file(text);
    try {
      read_synset_ids(file.path(), classes);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file.folder.path().size() + 1);
    }
    return std::string("accepted");
  };
  CHECK(refusal("n02129165\nlion\n", 2) ==
        "c.txt:2: 'lion' is not the id of a WordNet noun; expected one such as n02129165");
  CHECK(refusal("lion.n.01\n", 1) ==
        "c.txt:1: 'lion.n.01' is not the id of a WordNet noun; expected one such as n02129165");
  CHECK(refusal("2129165\n", 1) ==
        "c.txt:1: '2129165' is not the id of a WordNet noun; expected one such as n02129165");
  CHECK(refusal("? lion: no noun of WordNet\n", 1) ==
        "c.txt:1: '?' is not the id of a WordNet noun; expected one such as n02129165");
  CHECK(refusal("n02129165\n\nn02129165\n", 3) ==
        "c.txt:2: line is blank; expected an id such as n02129165");
  CHECK(refusal("n0212\xFF\n", 1) == "c.txt:1: is not UTF-8 text");
  CHECK(refusal("n0212\x01\n", 1) ==
        "c.txt:1: holds a tab or another control character; expected only an id such as n02129165");
  CHECK(refusal("n02129165\n", 2) ==
        "c.txt: holds 1 ids, but there are 2 classes; expected one id per class, in their order");
  CHECK(refusal("n02129165\nn02129165\n", 1) ==
        "c.txt: holds 2 ids, but there are 1 classes; expected one id per class, in their order");
  CHECK(refusal("", 1) == "c.txt: is empty");
}

TEST_CASE("a nearest name is suggested only if it needs few edits") {
  const Names names = {"otter", "hippopotamus", "cat"};
  CHECK(nearest_name("oter", names) == "otter");
  CHECK(nearest_name("OTTER", names) == "otter");
  CHECK(nearest_name("hipopotamuss", names) == "hippopotamus");
  CHECK(nearest_name("xyz", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("elephant", names).empty());
  CHECK(nearest_name(std::string(100000, 'a'), names).empty());
}

}  // namespace
}  // namespace bzscr
