#include "data/dataset.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

namespace bzscr {
namespace {

using test::DataFolder;

/// A table of `values` with a first column of `keys`; numbers in full precision.
std::string table(const std::string& key, const std::vector<std::string>& keys,
                  const Matrix& values, char separator = ',') {
  std::string text = key;
  for (Index j = 0; j < values.cols(); ++j) text += fmt::format("{}x{}", separator, j);
  text += '\n';
  for (Index i = 0; i < values.rows(); ++i) {
    text += keys[static_cast<std::size_t>(i)];
    for (Index j = 0; j < values.cols(); ++j)
      text += fmt::format("{}{:.17g}", separator, values(i, j));
    text += '\n';
  }
  return text;
}

/// The small data set with tables in place of arrays.
struct TableFolder : DataFolder {
  TableFolder() {
    for (const char* name :
         {"features.npy", "labels.npy", "embeddings/words.npy", "test_seen.npy", "classes.txt"})
      remove(name);
    text("features.csv", table("class", names_of_samples(), features));
    text("embeddings/words.csv", table("class", class_names, embeddings));
    text("test_seen.csv", "sample\n40\n41\n42\n");
  }
  std::vector<std::string> names_of_samples() const {
    std::vector<std::string> names;
    for (const auto r : labels) names.push_back(class_names[static_cast<std::size_t>(r)]);
    return names;
  }
};

TEST_CASE("tables read as the same data set as arrays of the same numbers") {
  const DataFolder arrays;
  const TableFolder tables;
  const auto hash = read_dataset(arrays.path(), {}).hash;
  CHECK(read_dataset(tables.path(), {}).hash == hash);

  SUBCASE("separated by tabs") {
    tables.remove("features.csv");
    tables.text("features.tsv", table("class", tables.names_of_samples(), tables.features, '\t'));
  }
  SUBCASE("labelled by row") {
    std::vector<std::string> rows;
    for (const auto r : tables.labels) rows.push_back(std::to_string(r));
    tables.text("features.csv", table("label", rows, tables.features));
  }
  SUBCASE("with the classes named, and embeddings in another order") {
    tables.text("classes.txt", test::read_bytes(arrays / "classes.txt"));
    Matrix reversed = tables.embeddings.colwise().reverse();
    tables.text("embeddings/words.csv",
                table("class", {tables.class_names.rbegin(), tables.class_names.rend()}, reversed));
  }
  SUBCASE("with the labels in a table of their own") {
    std::string rows = "label\n";
    for (const auto r : tables.labels) rows += std::to_string(r) + "\n";
    tables.text("labels.csv", rows);
    std::string columns = "x0";
    for (Index j = 1; j < tables.features.cols(); ++j) columns += fmt::format(",x{}", j);
    std::string text = columns + '\n';
    for (Index i = 0; i < tables.features.rows(); ++i)
      for (Index j = 0; j < tables.features.cols(); ++j)
        text += fmt::format("{:.17g}{}", tables.features(i, j),
                            j + 1 < tables.features.cols() ? "," : "\n");
    tables.text("features.csv", text);
  }
  SUBCASE("beside arrays") {
    tables.remove("test_seen.csv");
    tables.npy("test_seen.npy", std::vector<std::int64_t>{40, 41, 42});
    tables.remove("embeddings/words.csv");
    tables.npy("embeddings/words.npy", tables.embeddings);
    tables.text("classes.txt", test::read_bytes(arrays / "classes.txt"));
  }
  CHECK(read_dataset(tables.path(), {}).hash == hash);
}

TEST_CASE("a single embedding may be in the folder of the features") {
  const TableFolder folder;
  folder.text("embeddings.csv", test::read_bytes(folder / "embeddings/words.csv"));
  CHECK_THROWS_WITH_AS(
      read_dataset(folder.path(), {}),
      (folder / "embeddings: holds several embeddings: embeddings, words; say which one by the "
                "option embedding, or several separated by commas")
          .c_str(),
      InputError);
  CHECK(read_dataset(folder.path(), {"embeddings,words"}).embedding_parts ==
        std::vector<Index>{3, 3});
  folder.remove("embeddings");
  const Dataset data = read_dataset(folder.path(), {});
  CHECK(data.embedding_name == "embeddings");
  CHECK(data.embeddings == folder.embeddings);
}

TEST_CASE("a column that counts the rows is noted, and columns are named in notes") {
  const TableFolder folder;
  std::string text = "id,class,pressure,a\n";
  for (std::size_t i = 0; i < 48; ++i)
    text += fmt::format("{},{},101325,{}\n", i + 1, folder.names_of_samples()[i], i % 7);
  folder.text("features.csv", text);
  CHECK(
      read_dataset(folder.path(), {}).notes ==
      std::vector<std::string>{
          folder / "features.csv: column 'id' counts the rows from 1, as a row index does, and is "
                   "read as an ordinary number",
          folder / "features.csv: 1 of 3 columns holds one value in all samples: 'pressure'",
          folder / "features.csv: column 'pressure' carries 99.9 % of the squared length of the "
                   "samples, so that little is left of the others in samples of unit length; "
                   "training standardises the columns unless it is told another scaling"});
}

TEST_CASE("every kind of invalid table is refused with its error message") {
  struct Bad {
    std::function<void(const TableFolder&)> spoil;
    const char* message;
  };
  // clang-format off
  const Bad bads[] = {
      {[](auto& d) { d.text("features.csv", "a,b\n1,2\n"); }, "/features.csv: has no column 'class' or 'label'; expected one: class for names, label for rows of the classes"},
      {[](auto& d) { d.text("features.csv", "a,Target\n1,ant\n"); }, "/features.csv: has no column 'class' or 'label'; expected one: class for names, label for rows of the classes; 'Target' may be it: rename this column to class or label"},
      {[](auto& d) { d.text("features.csv", "class,a\nant,1\nbee,1e-400\n"); }, "/features.csv:3: has no number of 1.2e-38 or more, such as 1e-400, so it is zero in float32; expected larger numbers"},
      {[](auto& d) { d.text("features.csv", "class,a,b\nant,1,2\nbee,,1\ncat,1,\n"); }, "/features.csv:3: cell 2 ('a'): is empty; expected a number; 2 rows are incomplete: lines 3, 4"},
      {[](auto& d) { d.text("features.csv", ",class,a\n0,ant,1\n"); }, "/features.csv:1: column 1 has no name and looks like a row index; expected a name for every column (of a table without a row index: in pandas to_csv(index=False), in R row.names=FALSE)"},
      {[](auto& d) { d.text("embeddings/words.csv", "\"\",\"class\",\"a\"\n\"1\",\"ant\",1\n"); }, "/embeddings/words.csv:1: column 1 has no name and looks like a row index; expected a name for every column (of a table without a row index: in pandas to_csv(index=False), in R row.names=FALSE)"},
      {[](auto& d) { d.text("features.csv", "class,label,b\nant,0,2\n"); }, "/features.csv: has a column 'class' and 'label'; expected one: class for names, label for rows of the classes"},
      {[](auto& d) { d.text("features.csv", "class\nant\n"); }, "/features.csv: has one column: there are no features"},
      {[](auto& d) { d.text("features.csv", "class,a\n"); }, "/features.csv: has no row after its first line, which names the columns"},
      {[](auto& d) { d.text("features.csv", "class,a\nant,1\nbea,2\n"); }, "/features.csv:3: 'bea' is not in words.csv; did you mean 'bee'?"},
      {[](auto& d) { d.text("features.csv", "class,a\nant,1\nbee,?\n"); }, "/features.csv:3: cell 2 ('a'): '?' is not a number"},
      {[](auto& d) { d.text("features.csv", "label,a\n0,1\n1.5,2\n"); }, "/features.csv:3: '1.5' is not a whole number"},
      {[](auto& d) { d.text("features.csv", "label,a\n0,1\n8,2\n"); }, "/features.csv: row 1 holds label 8; expected 0 to 7, the rows of words.csv"},
      {[](auto& d) { d.text("features.csv", "class,a,b\nant,1,2\nbee,0,0\n"); d.remove("test_seen.csv"); }, "/features.csv: row 1 is all zero; expected at least one nonzero feature"},
      {[](auto& d) { d.npy("features.npy", d.features); }, ": holds both features.npy and features.csv; expected one"},
      {[](auto& d) { d.npy("labels.npy", d.labels); }, "/labels.npy: repeats the labels of features.csv; expected only one of both"},
      {[](auto& d) { d.text("embeddings/words.csv", "name,a\nant,1\n"); }, "/embeddings/words.csv: has no column 'class'; expected one with the class of each row; 'name' may be it: rename this column to class"},
      {[](auto& d) { d.text("embeddings/words.csv", "class,a\nant,1\nant,1\n"); }, "/embeddings/words.csv:3: 'ant' was already named in line 2"},
      {[](auto& d) { d.text("embeddings/words.csv", "class,a\nant,1\n,1\n"); }, "/embeddings/words.csv:3: line is blank; expected a class name"},
      {[](auto& d) { d.text("embeddings/words.csv", "class\nant\nbee\ncat\ndog\neel\nfox\ngnu\nhen\n"); }, "/embeddings/words.csv: shape is (8, 0): the embeddings have no length"},
      {[](auto& d) { d.text("embeddings/words.csv", "class,a\nant,1\n"); }, "/embeddings/words.csv: names only one class; expected at least 2"},
      {[](auto& d) { d.text("classes.txt", "ant\nbee\ncat\ndog\neel\nfox\ngnu\nhen\nibex\n"); }, "/embeddings/words.csv: has no row for class 'ibex'; every class needs an embedding"},
      {[](auto& d) { d.text("classes.txt", "ant\nbee\ncat\ndog\neel\nfox\ngnu\n"); d.text("unseen_classes.txt", "gnu\n"); d.text("features.csv", "class,a\nant,1\nbee,2\n"); d.remove("test_seen.csv"); }, "/embeddings/words.csv:9: 'hen' is not in classes.txt"},
      {[](auto& d) { d.text("test_seen.csv", "row\n40\n"); }, "/test_seen.csv: has no column 'sample'; expected one with rows of the features, from 0"},
      {[](auto& d) { d.text("test_seen.csv", "sample\n48\n"); }, "/test_seen.csv: sample 48 is not in 0..47, the rows of features.csv; they seem to count from 1: save them - 1"},
      {[](auto& d) { d.text("test_seen.csv", "sample,more\n4,1\n"); }, "/test_seen.csv: has 2 columns; expected one, 'sample'"},
  };
  // clang-format on
  for (const Bad& bad : bads) {
    const TableFolder folder;
    bad.spoil(folder);
    CHECK_THROWS_WITH_AS(read_dataset(folder.path(), {}), (folder.path() + bad.message).c_str(),
                         InputError);
  }
}

}  // namespace
}  // namespace bzscr
