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
  CHECK(
      Table("a,b\n1,2,3\n").refusal() ==
      "t.csv:2: has 3 cells; expected 2, as in the first line (of a table without a row index: in "
      "pandas to_csv(index=False), in R row.names=FALSE)");
  CHECK(Table("a,b\n1,2\n1,2,3\n").refusal() ==
        "t.csv:3: has 3 cells; expected 2, as in the first line");
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
  CHECK(Table("a,b,a\n1,2,3\n").refusal() == "t.csv: has two columns 'a'; expected one");
  CHECK(Table("1,0,0\n1,2,3\n").refusal() ==
        "t.csv:1: holds numbers; expected the names of the columns");
}

TEST_CASE("a column without a name is refused as the row index that pandas and R write") {
  const std::string remedy =
      " and looks like a row index; expected a name for every column (of a table without a row "
      "index: in pandas to_csv(index=False), in R row.names=FALSE)";
  CHECK(Table(",a\n0,1\n").refusal() == "t.csv:1: column 1 has no name" + remedy);
  CHECK(Table("\"\",\"a\"\n\"1\",1\n").refusal() == "t.csv:1: column 1 has no name" + remedy);
  CHECK(Table("a,Unnamed: 0\n1,0\n").refusal() == "t.csv:1: column 2 has no name" + remedy);
  CHECK(Table("a,\n1,\n").refusal() ==
        "t.csv:1: column 2 has no name; expected a name for every column");
}

TEST_CASE("blank lines at the end are the end of a table, and lines may end in CR alone") {
  const std::vector<Row> expected = {{"a", "b"}, {"1", "2"}, {"3", ""}};
  CHECK(Table("a,b\n1,2\n3,\n\n").rows() == expected);
  CHECK(Table("a,b\r\n1,2\r\n3,\r\n \r\n\r\n").rows() == expected);
  CHECK(Table("a,b\r1,2\r3,\r").rows() == expected);
  CHECK(Table("a\tb\n1\t2\n3\t\n\n", "t.tsv").rows() == expected);
}

TEST_CASE("a missing number is refused with the number of all incomplete rows") {
  const auto refusal = [](const std::string& rows) {
    const Table table("x,y\n" + rows);
    return table.refusal([&] { table.number(); });
  };
  CHECK(refusal(",1\n2,3\n4,NA\n") ==
        "t.csv:2: cell 1 ('x'): is empty; expected a number; 2 rows are incomplete: lines 2, 4");
  CHECK(refusal("?,1\n2,3\n4,5\n") == "t.csv:2: cell 1 ('x'): '?' is not a number");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "nan,1\n";
  CHECK(
      refusal(many) ==
      "t.csv:2: cell 1 ('x'): nan is not a finite number within float32; 5000 rows are incomplete: "
      "lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 4990 more");
}

TEST_CASE("numbers are read completely in every valid notation") {
  CHECK(Table("x\n-2.5\n").number() == -2.5);
  CHECK(Table("x\n +1e-3 \n").number() == 1e-3);
  CHECK(Table("x\n.5\n").number() == 0.5);
  CHECK(Table("x\n+0.5\n").number() == 0.5);
  CHECK(Table("x\n1e-400\n").number() == 0);
  CHECK(Table("x\n-0." + std::string(400, '0') + "1\n").number() == 0);
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
  CHECK(refusal(" \n1") == "t.csv:2: cell 1 ('x'): is empty; expected a number");
  CHECK(refusal("nan") == "t.csv:2: cell 1 ('x'): nan is not a finite number within float32");
  CHECK(refusal("-inf") == "t.csv:2: cell 1 ('x'): -inf is not a finite number within float32");
  CHECK(refusal("1e39") == "t.csv:2: cell 1 ('x'): 1e39 is not a finite number within float32");
  CHECK(refusal("-" + std::string(400, '9')).find("is not a finite number within float32") !=
        std::string::npos);
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
