#include "data/formats/table_file.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace bzscr {
namespace {

using Row = std::vector<std::string>;

class Table {
 public:
  explicit Table(const std::string& text, const std::string& name = "t.csv")
      : path_(folder_ / name) {
    test::write_bytes(path_, text);
  }

  /// The header, then all rows.
  std::vector<Row> rows() const {
    TableFile file(path_);
    std::vector<Row> rows = {file.columns()};
    while (file.next()) {
      rows.emplace_back();
      for (std::size_t j = 0; j < file.columns().size(); ++j)
        rows.back().emplace_back(file.cell(j));
    }
    return rows;
  }
  /// The number in the only row's first cell.
  double number() const {
    TableFile file(path_);
    REQUIRE(file.next());
    return file.number(0);
  }
  template <class Read>
  std::string refusal(Read read) const {
    try {
      read();
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder_.path().size() + 1);
    }
    return "accepted";
  }
  std::string refusal() const {
    return refusal([&] { rows(); });
  }

 private:
  test::TemporaryFolder folder_;
  std::string path_;
};

TEST_CASE("cells are separated by commas, or by tabs in a .tsv file") {
  const std::vector<Row> expected = {
      {"class", "a", "b"}, {"polar bear", "1", " -2"}, {"", "x", ""}};
  CHECK(Table("class,a,b\npolar bear,1, -2\n,x,\n").rows() == expected);
  CHECK(Table("\xEF\xBB\xBF"
              "class , a,b\r\npolar bear,1, -2\r\n,x,")
            .rows() == expected);
  CHECK(Table("class\ta\tb\npolar bear\t1\t -2\n\tx\t\n", "t.tsv").rows() == expected);
  CHECK(Table("a\tb\n1,5\t2\n", "t.tsv").rows() == std::vector<Row>{{"a", "b"}, {"1,5", "2"}});
}

TEST_CASE("a quoted cell may contain separators and doubled quotes") {
  CHECK(Table("\"a\",\"b,c\"\n\"say \"\"hi\"\"\",\"\"\n\"\"\"\",x\n").rows() ==
        std::vector<Row>{{"a", "b,c"}, {"say \"hi\"", ""}, {"\"", "x"}});
}

TEST_CASE("a malformed table is refused with file and line") {
  CHECK(Table("").refusal() == "t.csv: is empty");
  CHECK(Table("a,b\n1,2,3\n").refusal() ==
        "t.csv:2: has 3 cells; expected 2, as in the first line");
  CHECK(Table("a,b\n1,2\n3\n").refusal() ==
        "t.csv:3: has 1 cell; expected 2, as in the first line");
  CHECK(Table("a,b\n1,2\n\n3,4\n").refusal() == "t.csv:3: line is blank; expected a row");
  CHECK(Table("a;b\n1;2\n").refusal() ==
        "t.csv:1: has semicolons between its cells; expected commas");
  CHECK(Table("a,b\n1,\"2\n3\"\n").refusal() ==
        "t.csv:2: cell 2 ('b'): has no closing quote in its line");
  CHECK(Table("a,b\n\"1\"x,2\n").refusal() ==
        "t.csv:2: cell 1 ('a'): continues after its closing quote");
  CHECK(Table("a,b\n1,2\"\n").refusal() ==
        "t.csv:2: cell 2 ('b'): has a quote inside; expected the whole cell in quotes and this "
        "quote doubled");
  CHECK(Table("\"a\n").refusal() == "t.csv:1: cell 1: has no closing quote in its line");
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "twice.csv", "a,b,a\n");
  const TableFile twice(folder / "twice.csv");
  CHECK(twice.column("b") == 1);
  CHECK(twice.column("c") == 3);
  CHECK_THROWS_WITH_AS(twice.column("a"),
                       (folder / "twice.csv: has two columns 'a'; expected one").c_str(),
                       InputError);
}

TEST_CASE("numbers are read completely in every valid notation") {
  CHECK(Table("x\n-2.5\n").number() == -2.5);
  CHECK(Table("x\n +1e-3 \n").number() == 1e-3);
  CHECK(Table("x\n.5\n").number() == 0.5);
  CHECK(Table("x\n\"7\"\n").number() == 7);
  CHECK(Table("x\n0.1000000000000000055511151231257827\n").number() == 0.1);
  const auto refusal = [](const std::string& cell) {
    const Table table("x\n" + cell + "\n");
    return table.refusal([&] { table.number(); });
  };
  CHECK(refusal("y") == "t.csv:2: cell 1 ('x'): 'y' is not a number");
  CHECK(refusal("1.5x") == "t.csv:2: cell 1 ('x'): '1.5x' is not a number");
  CHECK(refusal("0x10") == "t.csv:2: cell 1 ('x'): '0x10' is not a number");
  CHECK(refusal("1.234.567") == "t.csv:2: cell 1 ('x'): '1.234.567' is not a number");
  CHECK(refusal("\"1,5\"") == "t.csv:2: cell 1 ('x'): '1,5' is not a number");
  CHECK(refusal("+-1") == "t.csv:2: cell 1 ('x'): '+-1' is not a number");
  CHECK(refusal(" ") == "t.csv:2: cell 1 ('x'): is empty; expected a number");
  CHECK(refusal("nan") == "t.csv:2: cell 1 ('x'): nan is not a finite number within float32");
  CHECK(refusal("-inf") == "t.csv:2: cell 1 ('x'): -inf is not a finite number within float32");
  CHECK(refusal("1e39") == "t.csv:2: cell 1 ('x'): 1e39 is not a finite number within float32");
  CHECK(refusal("1e999") == "t.csv:2: cell 1 ('x'): 1e999 is not a finite number within float32");
  CHECK(refusal(std::string(1000, 'z')) ==
        "t.csv:2: cell 1 ('x'): '" + std::string(40, 'z') + "...' is not a number");
}

TEST_CASE("arbitrary bytes are read as a table or refused") {
  std::mt19937 random(5);
  const std::string alphabet("ab,\"\n\r\t;1.-\xC3\0", 13);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text(1 + random() % 40, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    const Table table(text);
    const std::string refusal = table.refusal();
    CHECK((refusal == "accepted" || refusal.rfind("t.csv", 0) == 0));
  }
}

}  // namespace
}  // namespace bzscr
