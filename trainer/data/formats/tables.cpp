#include "data/formats/tables.h"

#include <bzscr_train/error.hpp>
#include "base/scratch_file.h"
#include "data/formats/table_file.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace bzscr {
namespace {

/// Calls visit(value) for every cell of the current row except the one in column `key`.
template <class Visit>
void each_number(const TableFile& table, std::size_t key, Visit visit) {
  for (std::size_t j = 0; j < table.columns().size(); ++j)
    if (j != key) visit(table.number(j));
}

std::int64_t whole_number(const TableFile& table, std::size_t column) {
  const double value = table.number(column);
  if (value != std::floor(value) || std::abs(value) > 1e15)
    throw InputError(table.where(), fmt::format("'{}' is not a whole number", table.cell(column)));
  return static_cast<std::int64_t>(value);
}

std::size_t expect_column(const TableFile& table, const std::string& name,
                          const std::string& meaning) {
  const std::size_t column = table.column(name);
  if (column == table.columns().size())
    throw InputError(table.path(), fmt::format("has no column '{}'; expected {}", name, meaning));
  return column;
}

}  // namespace

FeatureTable read_feature_table(const std::string& path, const ClassRows& classes) {
  TableFile table(path);
  const std::size_t none = table.columns().size(), by_name = table.column("class"),
                    by_row = table.column("label");
  if ((by_name == none) == (by_row == none))
    throw InputError(path,
                     fmt::format("has {} column 'class' {} 'label'; expected one: class for "
                                 "names, label for rows of the classes",
                                 by_name == none ? "no" : "a", by_name == none ? "or" : "and"));
  if (none == 1) throw InputError(path, "has one column: there are no features");

  std::vector<std::int64_t> labels;
  ScratchFile scratch(path);
  std::vector<float> row;
  while (table.next()) {
    labels.push_back(by_row != none
                         ? whole_number(table, by_row)
                         : classes.row(std::string(trimmed(table.cell(by_name))), table.where()));
    row.clear();
    each_number(table, by_name != none ? by_name : by_row,
                [&](double value) { row.push_back(static_cast<float>(value)); });
    scratch.append(row.data(), row.size() * sizeof(float));
  }
  if (labels.empty())
    throw InputError(path, "has no row after its first line, which names the columns");

  const auto file = scratch.map();
  NpyHeader header;
  header.type = NpyType::kFloat32;
  header.shape = {static_cast<Index>(labels.size()), static_cast<Index>(none - 1)};
  header.data_bytes = file->size();
  return {std::move(labels), NumberArray(path, header, file->data(), file)};
}

EmbeddingTable read_embedding_table(const std::string& path) {
  TableFile table(path);
  const std::size_t key = expect_column(table, "class", "one with the class of each row");
  const auto d = static_cast<Index>(table.columns().size()) - 1;
  EmbeddingTable result;
  std::vector<double> values;
  while (table.next()) {
    result.names.push_back({std::string(table.cell(key)), table.where(), "line", table.line()});
    each_number(table, key, [&](double value) { values.push_back(value); });
  }
  if (result.names.empty())
    throw InputError(path, "has no row after its first line, which names the columns");
  check_class_names(result.names);
  result.values =
      Eigen::Map<const Matrix>(values.data(), static_cast<Index>(result.names.size()), d);
  return result;
}

Matrix in_order_of(const EmbeddingTable& table, const std::string& path, const ClassRows& classes,
                   const std::vector<std::string>& class_names) {
  Matrix values(static_cast<Index>(class_names.size()), table.values.cols());
  std::vector<bool> has(class_names.size());
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const Index r = classes.row(table.names[i].name, table.names[i].where);
    values.row(r) = table.values.row(static_cast<Index>(i));
    has[static_cast<std::size_t>(r)] = true;
  }
  for (std::size_t r = 0; r < has.size(); ++r)
    if (!has[r])
      throw InputError(
          path,
          fmt::format("has no row for class '{}'; every class needs an embedding", class_names[r]));
  return values;
}

std::vector<std::int64_t> read_number_table(const std::string& path) {
  TableFile table(path);
  const std::size_t column =
      expect_column(table, "sample", "one with rows of the features, from 0");
  if (table.columns().size() != 1)
    throw InputError(path,
                     fmt::format("has {} columns; expected one, 'sample'", table.columns().size()));
  std::vector<std::int64_t> values;
  while (table.next()) values.push_back(whole_number(table, column));
  return values;
}

}  // namespace bzscr
