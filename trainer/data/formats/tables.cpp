#include "data/formats/tables.h"

#include <bzscr_train/error.hpp>
#include "base/scratch_file.h"
#include "data/formats/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace bzscr {
namespace {

/// Calls visit(j, value) for every cell of the current row except the one in column `key`.
template <class Visit>
void each_number(const TableFile& table, std::size_t key, Visit visit) {
  for (std::size_t j = 0; j < table.columns().size(); ++j)
    if (j != key) visit(j, table.number(j));
}

/// The names of the columns other than `key`.
std::vector<std::string> names_of_columns(const TableFile& table, std::size_t key) {
  std::vector<std::string> names = table.columns();
  if (key < names.size()) names.erase(names.begin() + static_cast<std::ptrdiff_t>(key));
  return names;
}

std::int64_t whole_number(const TableFile& table, std::size_t column) {
  const double value = table.number(column);
  if (value != std::floor(value) || std::abs(value) > 1e15)
    throw InputError(table.where(), fmt::format("'{}' is not a whole number", table.cell(column)));
  return static_cast<std::int64_t>(value);
}

/// "; rename the column 'target', if it is this one", or empty: other programs' names for a column
/// of classes.
std::string likely_column(const TableFile& table, const char* wanted) {
  for (std::string name : table.columns()) {
    const std::string written = name;
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const char* other : {"class", "classes", "classname", "class_name", "label", "labels",
                              "target", "y", "category", "species", "variety", "name"})
      if (name == other)
        return fmt::format("; '{}' may be it: rename this column to {}", written, wanted);
  }
  return {};
}

std::size_t expect_column(const TableFile& table, const std::string& name,
                          const std::string& meaning) {
  const std::size_t column = table.column(name);
  if (column == table.columns().size())
    throw InputError(table.path(), fmt::format("has no column '{}'; expected {}", name, meaning));
  return column;
}

/// The column that gives the class of each row: `class` or `label`.
struct LabelColumn {
  std::size_t index;
  bool by_name;
};

std::optional<LabelColumn> find_label_column(const TableFile& table) {
  const std::size_t none = table.columns().size(), by_name = table.column("class"),
                    by_row = table.column("label");
  if (by_name != none && by_row != none)
    throw InputError(table.path(),
                     "has a column 'class' and 'label'; expected one: class for names, label for "
                     "rows of the classes");
  if (by_name != none) return LabelColumn{by_name, true};
  if (by_row != none) return LabelColumn{by_row, false};
  return std::nullopt;
}

[[noreturn]] void refuse_without_labels(const TableFile& table) {
  throw InputError(table.path(),
                   fmt::format("has no column 'class' or 'label'; expected one: class for names, "
                               "label for rows of the classes{}",
                               likely_column(table, "class or label")));
}

std::int64_t label_of(const TableFile& table, const LabelColumn& column, const ClassRows& classes) {
  if (!column.by_name) return whole_number(table, column.index);
  return classes.row(std::string(trimmed(table.cell(column.index))), table.where());
}

void expect_rows_in(const TableFile& table, std::size_t rows) {
  if (rows == 0)
    throw InputError(table.path(), "has no row after its first line, which names the columns");
}

/// Throws InputError for a row that is zero in float32 though its cells are not.
void expect_no_underflow(const TableFile& table, std::size_t key) {
  for (std::size_t j = 0; j < table.columns().size(); ++j)
    if (j != key && table.is_written_nonzero(j))
      throw InputError(table.where(),
                       fmt::format("has no number of {:.2g} or more, such as {}, so "
                                   "it is zero in float32; expected larger numbers",
                                   std::numeric_limits<float>::min(), trimmed(table.cell(j))));
}

/// Finds columns that count the rows, from 0 or 1, as the index of a table does.
class IndexColumns {
 public:
  explicit IndexColumns(std::size_t columns) : from_(columns, kAny) {}

  void visit(std::size_t column, std::size_t row, double value) {
    int& from = from_[column];
    if (row == 0 && (value == 0.0 || value == 1.0)) from = static_cast<int>(value);
    if (from != kAny && value != static_cast<double>(row) + from) from = kAny;
  }
  /// A note for each such column of a table of `rows` rows.
  std::vector<std::string> notes(const TableFile& table, std::size_t rows) const {
    constexpr std::size_t kFewest = 4;  // rows that may count by chance
    std::vector<std::string> notes;
    for (std::size_t j = 0; rows >= kFewest && j < from_.size(); ++j)
      if (from_[j] != kAny)
        notes.push_back(
            fmt::format("{}: column '{}' counts the rows from {}, as a row index does, "
                        "and is read as an ordinary number",
                        table.path(), table.columns()[j], from_[j]));
    return notes;
  }

 private:
  static constexpr int kAny = -1;
  std::vector<int> from_;
};

}  // namespace

FeatureTable read_feature_table(const std::string& path, const ClassRows& classes,
                                bool has_labels) {
  TableFile table(path);
  const std::optional<LabelColumn> by = find_label_column(table);
  if (!by && !has_labels) refuse_without_labels(table);
  const std::size_t all = table.columns().size(), key = by ? by->index : all;
  if (by && all == 1) throw InputError(path, "has one column: there are no features");

  std::vector<std::int64_t> labels;
  std::size_t rows = 0;
  ScratchFile scratch(path);
  std::vector<float> row;
  IndexColumns index_columns(all);
  for (; table.next(); ++rows) {
    if (by) labels.push_back(label_of(table, *by, classes));
    row.clear();
    float largest = 0;
    each_number(table, key, [&](std::size_t j, double value) {
      row.push_back(static_cast<float>(value));
      largest = std::max(largest, std::abs(row.back()));
      index_columns.visit(j, rows, value);
    });
    if (largest < std::numeric_limits<float>::min()) expect_no_underflow(table, key);
    scratch.append(row.data(), row.size() * sizeof(float));
  }
  expect_rows_in(table, rows);

  std::vector<std::string> columns = names_of_columns(table, key);
  const auto file = scratch.map();
  NpyHeader header;
  header.type = NpyType::kFloat32;
  header.shape = {static_cast<Index>(rows), static_cast<Index>(columns.size())};
  header.data_bytes = file->size();
  return {by ? std::optional(LabelRows{std::move(labels), by->by_name}) : std::nullopt,
          NumberArray(path, header, file->data(), file), std::move(columns),
          index_columns.notes(table, rows)};
}

LabelRows read_label_table(const std::string& path, const ClassRows& classes) {
  TableFile table(path);
  const std::optional<LabelColumn> by = find_label_column(table);
  if (!by) refuse_without_labels(table);
  if (table.columns().size() != 1)
    throw InputError(path, fmt::format("has {} columns; expected one, '{}'", table.columns().size(),
                                       table.columns()[by->index]));
  LabelRows labels{{}, by->by_name};
  while (table.next()) labels.rows.push_back(label_of(table, *by, classes));
  expect_rows_in(table, labels.rows.size());
  return labels;
}

EmbeddingTable read_embedding_table(const std::string& path) {
  TableFile table(path);
  const std::size_t key = expect_column(
      table, "class", "one with the class of each row" + likely_column(table, "class"));
  const auto d = static_cast<Index>(table.columns().size()) - 1;
  EmbeddingTable result;
  result.columns = names_of_columns(table, key);
  std::vector<double> values;
  IndexColumns index_columns(table.columns().size());
  while (table.next()) {
    double largest = 0;
    each_number(table, key, [&](std::size_t j, double value) {
      values.push_back(value);
      largest = std::max(largest, std::abs(value));
      index_columns.visit(j, result.names.size(), value);
    });
    if (largest < std::numeric_limits<float>::min()) expect_no_underflow(table, key);
    result.names.push_back({std::string(table.cell(key)), table.where(), "line", table.line()});
  }
  expect_rows_in(table, result.names.size());
  result.notes = index_columns.notes(table, result.names.size());
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
