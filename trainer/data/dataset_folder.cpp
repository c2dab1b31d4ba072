#include "data/dataset_folder.h"

#include "data/class_files.h"
#include "data/npy_file.h"
#include "types/errors.h"

#include <fmt/format.h>

#include <filesystem>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

std::string file_in(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !error;
}

void expect_files(const std::string& folder) {
  for (const char* name : {"features.npy", "labels.npy", "classes.txt"})
    if (!exists(file_in(folder, name))) throw InputError(file_in(folder, name), fmt::format("no such file; {}", kWhatAFolderHolds));
}

// Lists of classes

Part<std::vector<Index>> read_list(const std::string& folder, const std::string& name, const std::vector<std::string>& class_names) {
  const std::string path = file_in(folder, name);
  return {read_class_list(path, class_names), path, name};
}

/// validation_classes.txt, then validation_classes2.txt and so on.
std::vector<Part<std::vector<Index>>> read_validation_folds(const std::string& folder, const std::vector<std::string>& class_names) {
  std::vector<Part<std::vector<Index>>> folds;
  std::string name = "validation_classes.txt";
  while (exists(file_in(folder, name))) {
    folds.push_back(read_list(folder, name, class_names));
    name = fmt::format("validation_classes{}.txt", folds.size() + 1);
  }
  return folds;
}

// Numbers

Part<std::vector<std::int64_t>> read_integers(const std::string& folder, const std::string& name) {
  const NpyFile file(file_in(folder, name));
  return {file.integers(), file.where(), name};
}

std::vector<std::string> embedding_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error && error != std::errc::no_such_file_or_directory) throw InputError(folder, "cannot be read: " + error.message());
  for (const fs::directory_entry& entry : entries)
    if (entry.path().extension() == ".npy") names.push_back(entry.path().stem().string());
  if (names.empty()) throw InputError(folder, fmt::format("holds no .npy file; {}", kWhatAFolderHolds));
  return names;
}

EmbeddingPart read_embedding(const std::string& folder, const std::string& name, std::size_t classes) {
  const NpyFile file(file_in(folder, name + ".npy"));
  expect_rows(file, static_cast<Index>(classes), fmt::format("classes.txt names {} classes", classes), fmt::format("({}, d)", classes));
  return {name, file.where(), file.matrix()};
}

}  // namespace

DatasetParts read_dataset_folder(const std::string& folder, const DatasetOptions& options) {
  expect_files(folder);
  DatasetParts parts;
  const std::string names_path = file_in(folder, "classes.txt");
  parts.class_names = at_least_two({read_class_names(names_path), names_path, "classes.txt"});
  const std::vector<std::string>& names = parts.class_names.value;

  if (exists(file_in(folder, "unseen_classes.txt"))) parts.unseen_classes = read_list(folder, "unseen_classes.txt", names);
  parts.validation_folds = read_validation_folds(folder, names);

  const auto labels = read_integers(folder, "labels.npy");
  parts.labels = {class_rows(labels, 0, parts.class_names), labels.where, labels.name};
  parts.read_features = [path = file_in(folder, "features.npy")] { return NpyFile(path); };
  if (exists(file_in(folder, "test_seen.npy"))) {
    const auto rows = read_integers(folder, "test_seen.npy");
    parts.test_seen = {sample_rows(rows, 0, parts.labels.value.size(), "features.npy"), rows.where, rows.name};
  }

  const std::string embeddings = file_in(folder, "embeddings");
  for (const std::string& name : choose_embeddings(embeddings, embedding_names(embeddings), options))
    parts.embeddings.push_back(read_embedding(embeddings, name, names.size()));
  if (const std::string path = file_in(folder, "divergence.npy"); exists(path)) parts.divergence = NpyFile(path);
  return parts;
}

}  // namespace bzscr
