#include "data/formats/dataset_folder.h"

#include <bzscr_train/error.hpp>
#include "data/formats/class_files.h"
#include "data/formats/embedding_files.h"
#include "data/formats/feature_parts.h"
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

Part<std::vector<std::int64_t>> read_integers(const std::string& folder, const std::string& name) {
  const std::string path = file_in(folder, name);
  return {is_table(path) ? read_number_table(path) : NpyFile(path).integers(), path, name};
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
  Part<std::vector<std::int64_t>> labels;
  if (is_table(path)) {
    if (const std::string more = find_numbers(folder, "labels"); !more.empty())
      throw InputError(
          file_in(folder, more),
          fmt::format("repeats the labels of {}; expected only one of both", features));
    FeatureTable table = read_feature_table(path, rows);
    labels = {std::move(table.labels), path, features};
    parts.read_features = [array = std::move(table.features)] {
      return std::vector<NumberArray>{array};
    };
  } else {
    labels = read_integers(folder, expect_numbers(folder, "labels"));
    parts.read_features = [folder, files] {
      std::vector<NumberArray> arrays;
      for (const std::string& file : files) arrays.push_back(NpyFile(file_in(folder, file)));
      return arrays;
    };
  }
  parts.labels = {class_rows(labels, 0, parts.class_names), labels.where, labels.name};

  if (const std::string test = find_numbers(folder, "test_seen"); !test.empty()) {
    const auto samples = read_integers(folder, test);
    parts.test_seen = {sample_rows(samples, 0, parts.labels.value.size(), features), samples.where,
                       samples.name};
  }
}

}  // namespace

DatasetParts read_dataset_folder(const std::string& folder, const DatasetOptions& options) {
  expect_features(folder);  // first: a folder without them is not a data set
  DatasetParts parts;
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
  for (const EmbeddingFile& file : embeddings)
    parts.embeddings.push_back(embedding_part(file, parts.class_names, rows));
  if (const std::string path = file_in(folder, "divergence.npy"); exists(path))
    parts.divergence = NpyFile(path);
  parts.synsets = read_synsets(folder, parts.class_names.value.size());
  return parts;
}

}  // namespace bzscr
