#include "data/dataset.h"

#include "data/class_files.h"
#include "data/content_hash.h"
#include "data/divergence_file.h"
#include "data/feature_scan.h"
#include "data/nearest_name.h"
#include "data/npy_file.h"
#include "types/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhatAFolderHolds =
    "a data set holds features.npy, labels.npy, classes.txt and embeddings/NAME.npy";


bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !error;
}

bool contains(const std::vector<Index>& sorted, Index value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

void expect_data_set(const std::string& folder) {
  std::error_code error;
  if (!exists(folder)) throw InputError(folder, "no such folder");
  if (!fs::is_directory(folder, error)) throw InputError(folder, fmt::format("is not a folder; {}", kWhatAFolderHolds));
  const bool is_empty = fs::is_empty(folder, error);
  if (error) throw InputError(folder, "cannot be read: " + error.message());
  if (is_empty) throw InputError(folder, fmt::format("is empty; {}", kWhatAFolderHolds));
  for (const char* name : {"features.npy", "labels.npy", "classes.txt"})
    if (!exists(file_in(folder, name))) throw InputError(file_in(folder, name), fmt::format("no such file; {}", kWhatAFolderHolds));
}

// Names and lists

std::vector<std::string> read_names(const std::string& folder) {
  const std::string path = file_in(folder, "classes.txt");
  std::vector<std::string> names = read_class_names(path);
  if (names.size() < 2) throw InputError(path, "names only one class; expected at least 2");
  return names;
}

void read_unseen_classes(Dataset& data) {
  const std::string path = file_in(data.folder, "unseen_classes.txt");
  if (!exists(path)) return;
  data.unseen_classes = read_class_list(path, data.class_names);
  const std::size_t seen = data.class_names.size() - data.unseen_classes.size();
  if (seen < 2)
    throw InputError(path, fmt::format("leaves {} of {} classes seen; training needs at least 2", seen == 0 ? "none" : "one",
                                       data.class_names.size()));
}

void read_validation_classes(Dataset& data) {
  const std::string path = file_in(data.folder, "validation_classes.txt");
  if (!exists(path)) return;
  data.validation_classes = read_class_list(path, data.class_names);
  for (const Index r : data.validation_classes)
    if (contains(data.unseen_classes, r))
      throw InputError(path, fmt::format("'{}' is also in unseen_classes.txt; hyper-parameters are never chosen on unseen "
                                         "classes", data.class_names[static_cast<std::size_t>(r)]));
  const std::size_t left = data.class_names.size() - data.unseen_classes.size() - data.validation_classes.size();
  if (left < 2)
    throw InputError(path, fmt::format("leaves {} of the seen classes to train on; training needs at least 2",
                                       left == 0 ? "none" : "one"));
}

// Samples

void refuse_transposed(const NpyFile& file, Index rows, const std::string& rows_are, const std::string& expected) {
  const std::vector<Index>& shape = file.shape();
  if (shape[0] == rows) return;
  const char* const hint = shape[1] == rows ? "; it looks transposed: save its .T" : "";
  throw InputError(file.path(), fmt::format("shape is {}, but {}; expected {}{}", text_of(shape), rows_are, expected, hint));
}

Labels read_labels(const NpyFile& file, std::size_t classes) {
  const std::vector<std::int64_t> values = file.integers();
  if (values.empty()) throw InputError(file.path(), "holds no labels");
  const auto C = static_cast<std::int64_t>(classes);
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const bool from_one = *lowest >= 1 && *highest == C;

  Labels labels(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] >= C)
      throw InputError(file.path(), fmt::format("row {}: label {} is not in 0..{}, the rows of classes.txt{}", i, values[i], C - 1,
                                                from_one ? "; labels seem to count from 1: save labels - 1" : ""));
    labels[i] = static_cast<std::int32_t>(values[i]);
  }
  return labels;
}

void map_features(Dataset& data) {
  const NpyFile file(file_in(data.folder, "features.npy"));
  data.features = file.features(data.features_owner);
  const auto N = static_cast<Index>(data.labels.size());
  refuse_transposed(file, N, fmt::format("labels.npy has {} labels", N), fmt::format("({}, m)", N));
  if (data.features.columns == 0) throw InputError(file.path(), fmt::format("shape is {}: there are no features", text_of(file.shape())));
}

void read_test_seen_rows(Dataset& data) {
  const std::string path = file_in(data.folder, "test_seen.npy");
  if (!exists(path)) return;
  const auto N = static_cast<std::int64_t>(data.labels.size());
  std::vector<bool> taken(data.labels.size());
  for (const std::int64_t value : NpyFile(path).integers()) {
    if (value < 0 || value >= N) throw InputError(path, fmt::format("sample {} is not in 0..{}, the rows of features.npy", value, N - 1));
    const auto i = static_cast<std::size_t>(value);
    if (taken[i]) throw InputError(path, fmt::format("sample {} is named twice", i));
    taken[i] = true;
    const Index r = data.labels[i];
    if (contains(data.unseen_classes, r))
      throw InputError(path, fmt::format("sample {} is of the unseen class '{}'; expected samples of seen classes", i,
                                         data.class_names[static_cast<std::size_t>(r)]));
  }
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i]) data.test_seen_rows.push_back(static_cast<Index>(i));
}

/// A seen class without samples still competes with the others, but it is worth a word.
void count_training_samples(Dataset& data) {
  std::vector<Index> samples(data.class_names.size());
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    if (!contains(data.test_seen_rows, static_cast<Index>(i))) ++samples[static_cast<std::size_t>(data.labels[i])];

  std::vector<std::string> without;
  Index total = 0;
  for (std::size_t r = 0; r < samples.size(); ++r) {
    if (contains(data.unseen_classes, static_cast<Index>(r))) continue;
    total += samples[r];
    if (samples[r] == 0) without.push_back(data.class_names[r]);
  }
  if (total == 0)
    throw InputError(file_in(data.folder, "labels.npy"), "no sample is left to train on: all are of unseen classes or in test_seen.npy");
  if (!without.empty())
    data.notes.push_back(fmt::format("{} of {} seen classes have no training sample: {}", without.size(),
                                     data.class_names.size() - data.unseen_classes.size(), fmt::join(without, ", ")));
}

// Embeddings

std::vector<std::string> embedding_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error && error != std::errc::no_such_file_or_directory) throw InputError(folder, "cannot be read: " + error.message());
  for (const fs::directory_entry& entry : entries)
    if (entry.path().extension() == ".npy") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string choose_embedding(const std::string& data_folder, const std::string& wanted) {
  const std::string folder = file_in(data_folder, "embeddings");
  const std::vector<std::string> names = embedding_names(folder);
  if (names.empty()) throw InputError(folder, fmt::format("holds no .npy file; {}", kWhatAFolderHolds));
  if (wanted.empty() && names.size() == 1) return names.front();
  if (wanted.empty())
    throw InputError(folder, fmt::format("holds several embeddings: {}; say which one with --embedding NAME", fmt::join(names, ", ")));
  if (!std::binary_search(names.begin(), names.end(), wanted))
    throw InputError(folder, fmt::format("holds no embedding '{}', only {}{}", wanted, fmt::join(names, ", "), did_you_mean(wanted, names)));
  return wanted;
}

void check_embedding_values(const std::string& path, const Matrix& values, const std::vector<std::string>& names) {
  for (Index r = 0; r < values.rows(); ++r) {
    const std::string& name = names[static_cast<std::size_t>(r)];
    for (Index j = 0; j < values.cols(); ++j)
      if (!(std::abs(values(r, j)) <= std::numeric_limits<float>::max()))
        throw InputError(path, fmt::format("row {} ('{}'), column {} is {}; expected finite values within float32", r, name, j, values(r, j)));
    if (values.row(r).cwiseAbs().maxCoeff() < std::numeric_limits<float>::min())
      throw InputError(path, fmt::format("row {} ('{}') is all zero; every class needs an embedding", r, name));
  }
}

/// Attribute matrices write -1 for "not known" among values that are never negative. Taken as a number
/// it would be the strongest statement in the row. A matrix of nothing but -1 and 1 says no and yes.
void refuse_missing_values(const std::string& path, const Matrix& values, const std::vector<std::string>& names) {
  const auto at = values.array();
  const bool only_signs = (at.abs() == 1.0).all();
  if (only_signs || !(at == -1.0 || at >= 0.0).all()) return;
  for (Index r = 0; r < values.rows(); ++r)
    for (Index j = 0; j < values.cols(); ++j)
      if (values(r, j) == -1.0)
        throw InputError(path, fmt::format("row {} ('{}'), column {} is -1 while no other value is negative, so it seems to mean "
                                           "\"missing\"; replace it first, for example by the column's mean", r,
                                           names[static_cast<std::size_t>(r)], j));
}

void read_embedding(Dataset& data, const std::string& wanted) {
  data.embedding_name = choose_embedding(data.folder, wanted);
  const NpyFile file(file_in(data.folder, "embeddings/" + data.embedding_name + ".npy"));
  data.embeddings = file.matrix();
  const auto C = static_cast<Index>(data.class_names.size());
  refuse_transposed(file, C, fmt::format("classes.txt names {} classes", C), fmt::format("({}, d)", C));
  if (data.embeddings.cols() == 0) throw InputError(file.path(), fmt::format("shape is {}: the embeddings have no length", text_of(file.shape())));
  check_embedding_values(file.path(), data.embeddings, data.class_names);
  refuse_missing_values(file.path(), data.embeddings, data.class_names);
}

// Divergence

void read_divergence(Dataset& data, const std::string& given) {
  const std::string path = given.empty() ? file_in(data.folder, "divergence.npy") : given;
  if (given.empty() && !exists(path)) return;
  data.divergence = read_divergence_file(path, data.class_names, data.notes);
}

void read_synsets(Dataset& data) {
  const std::string path = file_in(data.folder, "synsets.txt");
  if (exists(path)) data.synsets = read_synset_ids(path, data.class_names.size());
}

// Hash

void add_rows(ContentHash& hash, const char* part, const std::vector<Index>& rows) {
  hash.begin(part);
  hash.add_number(rows.size());
  for (const Index row : rows) hash.add_number(static_cast<std::uint64_t>(row));
}

void add_matrix(ContentHash& hash, const Matrix& matrix) {
  hash.add_number(static_cast<std::uint64_t>(matrix.rows()));
  hash.add_number(static_cast<std::uint64_t>(matrix.cols()));
  hash.add_bytes(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
}

void add_all_but_features(ContentHash& hash, const Dataset& data) {
  hash.begin("labels");
  hash.add_number(data.labels.size());
  hash.add_bytes(data.labels.data(), data.labels.size() * sizeof(data.labels[0]));
  hash.begin("classes");
  hash.add_number(data.class_names.size());
  for (const std::string& name : data.class_names) hash.add_text(name);
  hash.begin("embedding");
  hash.add_text(data.embedding_name);
  add_matrix(hash, data.embeddings);
  add_rows(hash, "unseen classes", data.unseen_classes);
  add_rows(hash, "validation classes", data.validation_classes);
  add_rows(hash, "test rows of seen classes", data.test_seen_rows);
  hash.begin("divergence");
  add_matrix(hash, data.divergence.value_or(Matrix()));
  hash.begin("synsets");
  hash.add_number(data.synsets.size());
  for (const SynsetId id : data.synsets) hash.add_number(id);
}

}  // namespace

Dataset read_dataset(const std::string& folder, const DatasetOptions& options) {
  expect_data_set(folder);
  Dataset data;
  data.folder = folder;
  data.class_names = read_names(folder);
  read_unseen_classes(data);
  read_validation_classes(data);
  data.labels = read_labels(NpyFile(file_in(folder, "labels.npy")), data.class_names.size());
  map_features(data);
  read_test_seen_rows(data);
  count_training_samples(data);
  read_embedding(data, options.embedding);
  read_divergence(data, options.divergence_file);
  read_synsets(data);

  ContentHash hash;  // the features last: by now everything that is quick to check was right
  add_all_but_features(hash, data);
  data.feature_norms = scan_features(file_in(folder, "features.npy"), data.features, hash);
  data.hash = hash.digest();
  return data;
}

std::string file_in(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

std::vector<Index> seen_classes(const Dataset& data) {
  std::vector<Index> seen;
  for (Index c = 0; c < static_cast<Index>(data.class_names.size()); ++c)
    if (!std::binary_search(data.unseen_classes.begin(), data.unseen_classes.end(), c)) seen.push_back(c);
  return seen;
}

}  // namespace bzscr
