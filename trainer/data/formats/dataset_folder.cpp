#include "data/formats/dataset_folder.h"

#include <bzscr_train/error.hpp>
#include "data/formats/class_files.h"
#include "data/formats/embedding_files.h"
#include "data/formats/feature_parts.h"
#include "data/formats/folder_files.h"
#include "data/formats/label_file.h"
#include "data/formats/npy_file.h"
#include "data/formats/table_file.h"
#include "data/formats/tables.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

using Names = Part<std::vector<std::string>>;

std::string expect_numbers(const std::string& folder, const std::string& name) {
  const std::string found = find_numbers(folder, name);
  if (found.empty())
    throw InputError(file_in(folder, name + ".npy"),
                     fmt::format("no such file; {}", kWhatAFolderHolds));
  return found;
}

/// The files that may be in a folder besides features in parts and embeddings.
std::vector<KnownPart> known_parts(bool has_features, bool has_labels) {
  const std::vector<std::string> numbers = {".npy", ".csv", ".tsv"};
  std::vector<KnownPart> parts = {
      {"classes", {".txt"}},  {"unseen_classes", {".txt"}}, {"validation_classes", {".txt"}},
      {"test_seen", numbers}, {"divergence", {".npy"}},     {"synsets", {".txt"}}};
  if (!has_features) parts.push_back({"features", numbers});
  if (!has_labels) parts.push_back({"labels", numbers});
  return parts;
}

// Classes

/// The class names of classes.txt, or else of the rows of the first embedding.
Names read_names(const std::string& folder, const std::vector<EmbeddingFile>& embeddings) {
  const std::string path = file_in(folder, "classes.txt");
  if (exists(path)) return at_least_two({read_class_names(path), path, "classes.txt"});
  const EmbeddingFile& first = embeddings.front();
  if (!first.table) throw InputError(path, fmt::format("no such file; {}", kWhatAFolderHolds));
  return at_least_two(
      {names_of(first.table->names), first.path, fs::path(first.path).filename().string()});
}

Part<std::vector<Index>> read_list(const std::string& folder, const std::string& name,
                                   const ClassRows& classes) {
  const std::string path = file_in(folder, name);
  return {read_class_list(path, classes), path, name};
}

/// Reads validation_classes.txt, validation_classes2.txt and so on.
std::vector<Part<std::vector<Index>>> read_validation_folds(const std::string& folder,
                                                            const ClassRows& classes) {
  std::vector<Part<std::vector<Index>>> folds;
  std::string name = "validation_classes.txt";
  while (exists(file_in(folder, name))) {
    folds.push_back(read_list(folder, name, classes));
    name = fmt::format("validation_classes{}.txt", folds.size() + 1);
  }
  return folds;
}

// Samples

/// The names of the one file of features, or of its parts.
std::vector<std::string> expect_features(const std::string& folder) {
  std::vector<std::string> parts = feature_part_names(folder);
  if (parts.empty()) return {expect_numbers(folder, "features")};
  if (const std::string whole = find_numbers(folder, "features"); !whole.empty())
    throw InputError(
        folder, fmt::format("holds both {} and {}; expected the features whole or in parts", whole,
                            parts.front()));
  return parts;
}

void read_samples(const std::string& folder, const ClassRows& rows, DatasetParts& parts) {
  const std::vector<std::string> files = expect_features(folder);
  const std::string features = files.size() == 1 ? files.front() : "the features";
  const std::string path = file_in(folder, files.front());
  std::string label_file = find_numbers(folder, "labels");
  LabelRows labels;
  if (is_table(path)) {
    FeatureTable table = read_feature_table(path, rows, !label_file.empty());
    if (table.labels && !label_file.empty())
      throw InputError(
          file_in(folder, label_file),
          fmt::format("repeats the labels of {}; expected only one of both", features));
    if (table.labels) labels = *std::move(table.labels), label_file = features;
    parts.feature_names = std::move(table.columns);
    parts.notes.insert(parts.notes.end(), table.notes.begin(), table.notes.end());
    parts.read_features = [array = std::move(table.features)] {
      return std::vector<NumberArray>{array};
    };
  } else {
    label_file = expect_numbers(folder, "labels");
    parts.read_features = [folder, files] {
      std::vector<NumberArray> arrays;
      for (const std::string& file : files) arrays.push_back(NpyFile(file_in(folder, file)));
      return arrays;
    };
  }
  const std::string where = file_in(folder, label_file);
  if (label_file != features) labels = read_label_file(where, rows);
  parts.labels = {class_rows({std::move(labels.rows), where, label_file}, 0, parts.class_names),
                  where, label_file};
  parts.labels_by_name = labels.by_name;

  if (const std::string test = find_numbers(folder, "test_seen"); !test.empty()) {
    const std::string at = file_in(folder, test);
    const std::vector<std::int64_t> samples =
        is_table(at) ? read_number_table(at) : NpyFile(at).integers(WholeNumbers::kRows);
    parts.test_seen = {sample_rows({samples, at, test}, 0, parts.labels.value.size(), features), at,
                       test};
  }
}

/// Refuses or notes files whose names are slips of those that are missing.
void check_names(const std::string& folder, std::vector<std::string>& notes) {
  const std::vector<std::string> names = file_names(folder);
  const std::string features = find_numbers(folder, "features");
  check_unread(
      folder, names,
      known_parts(!feature_part_names(folder).empty() || !features.empty(), is_table(features)),
      notes);
}

}  // namespace

DatasetParts read_dataset_folder(const std::string& folder, const DatasetOptions& options) {
  DatasetParts parts;
  check_names(folder, parts.notes);
  expect_features(folder);  // first: a folder without them is not a data set
  const std::string place = file_in(folder, kEmbeddings);
  const std::vector<std::string> available = embedding_names(folder);
  if (available.empty())
    throw InputError(place, fmt::format("holds no .npy, .csv or .tsv file; {}", kWhatAFolderHolds));
  std::vector<EmbeddingFile> embeddings;
  for (const std::string& name : choose_embeddings(place, available, options))
    embeddings.push_back(open_embedding(folder, name));

  parts.class_names = read_names(folder, embeddings);
  const ClassRows rows(parts.class_names.value, parts.class_names.name);

  if (exists(file_in(folder, "unseen_classes.txt")))
    parts.unseen_classes = read_list(folder, "unseen_classes.txt", rows);
  parts.validation_folds = read_validation_folds(folder, rows);
  read_samples(folder, rows, parts);
  note_gaps(folder, file_names(folder), "validation_classes", ".txt", parts.validation_folds.size(),
            parts.notes);
  for (const EmbeddingFile& file : embeddings) {
    parts.embeddings.push_back(embedding_part(file, parts.class_names, rows));
    if (file.table)
      parts.notes.insert(parts.notes.end(), file.table->notes.begin(), file.table->notes.end());
  }
  if (const std::string path = file_in(folder, "divergence.npy"); exists(path))
    parts.divergence = NpyFile(path);
  parts.synsets = read_synsets(folder, parts.class_names.value.size());
  return parts;
}

}  // namespace bzscr
