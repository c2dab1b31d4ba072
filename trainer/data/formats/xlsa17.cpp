#include "data/formats/xlsa17.h"

#include <bzscr_train/error.hpp>
#include "data/formats/embedding_files.h"
#include "data/formats/folder_files.h"
#include "data/formats/listing.h"
#include "data/formats/mat_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

namespace bzscr {
namespace {

constexpr const char* kFeatures = "res101.mat";
constexpr const char* kSplits = "att_splits.mat";
constexpr std::int64_t kFirst = 1;  // MATLAB's lowest index

void expect_columns(const NumberArray& array, std::size_t columns, const char* rows,
                    const std::string& because, const char* name) {
  const auto expected = static_cast<Index>(columns);
  if (array.shape()[1] == expected) return;
  const std::string hint =
      array.shape()[0] == expected ? fmt::format("; it looks transposed: save {}'", name) : "";
  throw InputError(array.where(),
                   fmt::format("is {} x {}, but {}; expected {} x {}{}", array.shape()[0],
                               array.shape()[1], because, rows, expected, hint));
}

/// The transpose of a MATLAB matrix. Messages about it count from 0, like those about other files.
NumberArray by_rows(const NumberArray& array) {
  return array.transposed(array.where() + "', counted from 0");
}

/// Reads a column or a row of whole numbers of any class.
Part<std::vector<std::int64_t>> whole_numbers(const MatFile& file, const std::string& name) {
  const NumberArray array = file.numbers(name);
  const Matrix values = array.matrix();
  if (values.rows() != 1 && values.cols() != 1)
    throw InputError(array.where(),
                     fmt::format("is {} x {}; expected one column", values.rows(), values.cols()));
  Part<std::vector<std::int64_t>> part{{}, array.where(), name};
  for (Index i = 0; i < values.size(); ++i) {
    const double value = values.data()[i];
    if (value != std::floor(value) || std::abs(value) > 1e15)
      throw InputError(Place{array.where(), i + kFirst}, fmt::format("is {}", value),
                       "a whole number");
    part.value.push_back(static_cast<std::int64_t>(value));
  }
  return part;
}

// Classes

/// The names of att_splits.mat; without them, as in the published file of FLO, those of classes.txt
/// beside it, or else the numbers of the classes.
void read_class_names(const std::string& folder, const MatFile& splits, DatasetParts& parts) {
  const char* const variable = "allclasses_names";
  const std::string path = file_in(folder, "classes.txt");
  std::vector<PlacedName> names;
  if (splits.has(variable) || (!exists(path) && !splits.has("att"))) {
    names = splits.names(variable);
    check_class_names(names);
    parts.class_names = at_least_two({names_of(names), splits.where(variable), variable});
    return;
  }
  if (exists(path)) {
    parts.class_names = at_least_two({bzscr::read_class_names(path), path, "classes.txt"});
    return;
  }
  std::vector<std::string> numbers;
  const Index classes = splits.numbers("att").shape()[1];
  for (Index r = 1; r <= classes; ++r) numbers.push_back(std::to_string(r));
  parts.notes.push_back(
      fmt::format("{}: holds no '{}', so the classes are named 1 to {}; their "
                  "names can be given in classes.txt beside it",
                  splits.path(), variable, classes));
  parts.class_names = at_least_two({std::move(numbers), splits.where("att"), "att"});
}

// The split

/// The lists of samples of a split.
struct Locations {
  Part<std::vector<Index>> trainval, test_seen, test_unseen;  // test_seen may be empty
};

Part<std::vector<Index>> read_locations(const MatFile& file, const std::string& name,
                                        std::size_t samples) {
  const auto numbers = whole_numbers(file, name);
  return {sample_rows(numbers, kFirst, samples, "labels"), numbers.where, name};
}

/// Throws InputError unless every sample is in exactly one list.
void expect_partition(const Locations& lists, std::size_t samples, const std::string& path) {
  std::vector<const Part<std::vector<Index>>*> list_of(samples);
  for (const auto* list : {&lists.trainval, &lists.test_seen, &lists.test_unseen})
    for (const Index i : list->value) {
      const auto*& taken = list_of[static_cast<std::size_t>(i)];
      if (taken != nullptr)
        throw InputError(list->where,
                         fmt::format("sample {} is also in {}; expected each sample in one list",
                                     i + kFirst, taken->name));
      taken = list;
    }
  const auto forgotten = std::find(list_of.begin(), list_of.end(), nullptr);
  if (forgotten != list_of.end())
    throw InputError(path, fmt::format("sample {} of {} is in none of trainval_loc, test_seen_loc "
                                       "and test_unseen_loc; expected each in one",
                                       forgotten - list_of.begin() + kFirst, samples));
}

std::set<std::int32_t> classes_of(const std::vector<Index>& samples, const Labels& labels) {
  std::set<std::int32_t> classes;
  for (const Index i : samples) classes.insert(labels[static_cast<std::size_t>(i)]);
  return classes;
}

/// The classes of test_unseen_loc. Throws InputError if a sample of such a class is in another
/// list.
std::vector<Index> unseen_classes(const Locations& lists, const Labels& labels,
                                  const std::vector<std::string>& names) {
  const std::set<std::int32_t> unseen = classes_of(lists.test_unseen.value, labels);
  for (const auto* list : {&lists.trainval, &lists.test_seen})
    for (const Index i : list->value)
      if (const std::int32_t r = labels[static_cast<std::size_t>(i)]; unseen.count(r) != 0)
        throw InputError(list->where,
                         fmt::format("sample {} is of class '{}', which is in test_unseen_loc; "
                                     "expected samples of seen classes",
                                     i + kFirst, names[static_cast<std::size_t>(r)]));
  return {unseen.begin(), unseen.end()};
}

void read_split(const MatFile& splits, DatasetParts& parts) {
  const Labels& labels = parts.labels.value;
  const std::size_t N = labels.size();
  Locations lists{read_locations(splits, "trainval_loc", N),
                  {{}, "", ""},
                  read_locations(splits, "test_unseen_loc", N)};
  if (splits.has("test_seen_loc")) lists.test_seen = read_locations(splits, "test_seen_loc", N);
  expect_partition(lists, N, splits.path());
  parts.unseen_classes = {unseen_classes(lists, labels, parts.class_names.value),
                          lists.test_unseen.where, lists.test_unseen.name};
  if (splits.has("test_seen_loc")) parts.test_seen = std::move(lists.test_seen);
}

// Validation folds

/// Throws InputError unless each seen class is in either valclassesI.txt or trainclassesI.txt.
void expect_shared(const std::string& folder, const std::string& training,
                   const Part<std::vector<Index>>& validation, const ClassRows& rows,
                   const DatasetParts& parts) {
  const std::string path = file_in(folder, training);
  const std::vector<Index> list = read_class_list(path, rows);
  const std::vector<Index>& unseen = parts.unseen_classes->value;
  for (Index r = 0; r < static_cast<Index>(parts.class_names.value.size()); ++r) {
    const bool is_seen = !std::binary_search(unseen.begin(), unseen.end(), r);
    const bool trains = std::binary_search(list.begin(), list.end(), r);
    const bool validates = std::binary_search(validation.value.begin(), validation.value.end(), r);
    const std::string& name = parts.class_names.value[static_cast<std::size_t>(r)];
    if (trains && !is_seen)
      throw InputError(path,
                       fmt::format("'{}' is in test_unseen_loc; expected seen classes", name));
    if (is_seen && trains == validates)
      throw InputError(path,
                       fmt::format("the seen class '{}' is {} {}; expected it in one of them", name,
                                   trains ? "also in" : "neither here nor in", validation.name));
  }
}

void read_folds(const std::string& folder, const ClassRows& rows, DatasetParts& parts) {
  for (int fold = 1;; ++fold) {
    const std::string name = fmt::format("valclasses{}.txt", fold),
                      training = fmt::format("trainclasses{}.txt", fold);
    const std::string path = file_in(folder, name);
    if (!exists(path) && !exists(file_in(folder, training))) return;
    parts.validation_folds.push_back({read_class_list(path, rows), path, name});
    if (exists(file_in(folder, training)))
      expect_shared(folder, training, parts.validation_folds.back(), rows, parts);
  }
}

// Embeddings

Matrix attributes(const MatFile& splits, const std::string& name,
                  const Part<std::vector<std::string>>& classes) {
  const NumberArray array = splits.numbers(name);
  const std::size_t C = classes.value.size();
  expect_columns(array, C, "d", fmt::format("{} has {} names", classes.name, C), name.c_str());
  return by_rows(array).matrix();
}

EmbeddingPart attribute_part(const MatFile& splits, const std::string& name,
                             const Part<std::vector<std::string>>& classes) {
  EmbeddingPart part{name, splits.where(name) + "', counted from 0",
                     attributes(splits, name, classes)};
  if (name != "original_att" && splits.has("original_att")) {
    Matrix original = attributes(splits, "original_att", classes);
    if (original.cols() == part.values.cols()) part.unscaled = std::move(original);
  }
  return part;
}

bool is_of_the_split(const std::string& variable) {
  static const std::set<std::string> names = {"allclasses_names", "trainval_loc",
                                              "train_loc",        "val_loc",
                                              "test_seen_loc",    "test_unseen_loc"};
  return names.count(variable) != 0 || variable.empty();
}

/// Reads the embeddings that are asked for: att, any other variable of att_splits.mat, or a file.
/// Without a request it is att, or else the only one.
void read_embeddings(const std::string& folder, const MatFile& splits,
                     const DatasetOptions& options, const ClassRows& rows, DatasetParts& parts) {
  std::vector<std::string> available = embedding_names(folder);
  const bool all = options.all_embeddings && options.embedding.empty();
  for (const std::string& name : splits.variables()) {
    const bool usual = name == "att" || name == "original_att";
    if (usual || (!all && !options.embedding.empty() && !is_of_the_split(name)))
      available.push_back(name);
  }
  if (available.empty())
    throw InputError(splits.path(),
                     fmt::format("holds no 'att', only {}; expected an embedding of the classes",
                                 first_of(splits.variables())));
  const char* const usual = splits.has("att") ? "att" : "";
  for (const std::string& name : choose_embeddings(folder, available, options, usual)) {
    if (splits.has(name)) {
      parts.embeddings.push_back(attribute_part(splits, name, parts.class_names));
      continue;
    }
    const EmbeddingFile file = open_embedding(folder, name);
    if (file.table)
      parts.notes.insert(parts.notes.end(), file.table->notes.begin(), file.table->notes.end());
    parts.embeddings.push_back(embedding_part(file, parts.class_names, rows));
  }
}

// Files

/// "; att_splits.mat may be here as sent_splits.mat: ...", or empty.
std::string candidates(const std::string& folder) {
  std::vector<std::string> others;
  for (const std::string& name : file_names(folder))
    if (std::filesystem::path(name).extension() == ".mat" && name != kFeatures && name != kSplits)
      others.push_back(name);
  return others.empty()
             ? ""
             : fmt::format("; the folder holds {}: rename the one that is meant", first_of(others));
}

/// Adds a note for files of another format that are not read here.
void note_other_files(const std::string& folder, DatasetParts& parts) {
  Listing others;
  for (const std::string& name : file_names(folder))
    for (const char* stem :
         {"labels", "unseen_classes", "validation_classes", "test_seen", "divergence"})
      if (std::filesystem::path(name).stem() == stem) others.add(name);
  if (others.count() > 0)
    parts.notes.push_back(fmt::format("{}: does not use {}, as {} and {} define the data set",
                                      folder, others.text(), kFeatures, kSplits));
  check_unread(folder, file_names(folder), {{"synsets", {".txt"}}}, parts.notes);
  note_gaps(folder, file_names(folder), "valclasses", ".txt", parts.validation_folds.size(),
            parts.notes);
}

void expect_file(const std::string& folder, const char* name) {
  const std::string path = file_in(folder, name);
  if (!exists(path))
    throw InputError(path,
                     fmt::format("no such file; expected {} and {} in a folder of MATLAB files{}",
                                 kFeatures, kSplits, candidates(folder)));
}

}  // namespace

bool is_xlsa17(const std::string& folder) {
  return exists(file_in(folder, kFeatures)) || exists(file_in(folder, kSplits));
}

DatasetParts read_xlsa17(const std::string& folder, const DatasetOptions& options) {
  for (const char* name : {kFeatures, kSplits}) expect_file(folder, name);
  if (const std::string other = find_numbers(folder, "features"); !other.empty())
    throw InputError(folder, fmt::format("holds both {} and {}; expected one", other, kFeatures));
  const MatFile splits(file_in(folder, kSplits));
  const auto data = std::make_shared<const MatFile>(file_in(folder, kFeatures));

  DatasetParts parts;
  read_class_names(folder, splits, parts);
  const ClassRows rows(parts.class_names.value, parts.class_names.name);

  const auto labels = whole_numbers(*data, "labels");
  parts.labels = {class_rows(labels, kFirst, parts.class_names), labels.where, labels.name};
  read_split(splits, parts);
  read_folds(folder, rows, parts);
  read_embeddings(folder, splits, options, rows, parts);
  note_other_files(folder, parts);
  parts.synsets = read_synsets(folder, parts.class_names.value.size());
  parts.read_features = [data, N = labels.value.size()] {
    const NumberArray array = data->numbers_as_float32("features");
    expect_columns(array, N, "m", fmt::format("labels has {} values", N), "features");
    return std::vector<NumberArray>{by_rows(array)};
  };
  return parts;
}

}  // namespace bzscr
