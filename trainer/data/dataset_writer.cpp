#include "data/dataset_writer.h"

#include <bzscr_train/error.hpp>
#include "base/atomic_folder.h"
#include "data/dataset_parts.h"
#include "data/formats/embedding_files.h"
#include "data/formats/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>

namespace bzscr {
namespace {

std::string_view bytes_of(const void* begin, std::size_t size) {
  return {static_cast<const char*>(begin), size};
}

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return bytes_of(values.data(), values.size() * sizeof(T));
}

void write_matrix(OutputFolder& folder, const std::string& name, const Matrix& matrix) {
  folder.write(name,
               {npy_header("<f8", false, {matrix.rows(), matrix.cols()}),
                bytes_of(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double))});
}

void write_integers(OutputFolder& folder, const std::string& name,
                    const std::vector<std::int64_t>& values) {
  folder.write(name,
               {npy_header("<i8", false, {static_cast<Index>(values.size())}), bytes_of(values)});
}

void write_names(OutputFolder& folder, const std::string& name,
                 const std::vector<std::string>& names) {
  folder.write(name, {fmt::format("{}\n", fmt::join(names, "\n"))});
}

void write_classes(OutputFolder& folder, const std::string& name, const std::vector<Index>& classes,
                   const Dataset& data) {
  std::vector<std::string> names;
  for (const Index r : classes) names.push_back(data.class_names[static_cast<std::size_t>(r)]);
  write_names(folder, name, names);
}

/// Writes synsets.txt, with the name of each class as a comment.
void write_synsets(OutputFolder& folder, const Dataset& data) {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < data.synsets.size(); ++r)
    lines.push_back(synset_text(data.synsets[r]) + " " + data.class_names[r]);
  write_names(folder, kSynsets, lines);
}

/// Writes the features in their storage type and order; several parts become one file.
void write_features(OutputFolder& folder, const FeatureView& features) {
  const char* const descr = features.storage == Storage::kFloat16   ? "<f2"
                            : features.storage == Storage::kFloat32 ? "<f4"
                                                                    : "<f8";
  const std::string header =
      npy_header(descr, features.column_major, {features.rows, features.columns});
  std::vector<std::string_view> contents = {header};
  const std::size_t parts = std::max<std::size_t>(1, features.parts.size());
  for (std::size_t p = 0; p < parts; ++p) {
    const Index first = p == 0 ? 0 : features.parts[p].first,
                next = p + 1 < parts ? features.parts[p + 1].first : features.rows;
    contents.push_back(bytes_of(p == 0 ? features.data : features.parts[p].data,
                                static_cast<std::size_t>((next - first) * features.row_bytes())));
  }
  folder.write("features.npy", contents);
}

/// Throws InputError if the name of an embedding, which may come from an archive, is not a valid
/// file name or leads out of the folder.
void expect_file_name(const std::string& name, const Dataset& data) {
  if (name.empty() || name.find('/') != std::string::npos)
    throw InputError(
        data.folder,
        fmt::format("embedding '{}' cannot be the name of a file; expected a name without a slash",
                    name));
}

void write_embeddings(OutputFolder& folder, const Dataset& data) {
  const std::vector<std::string> names = split_at_commas(data.embedding_name);
  Index begin = 0;
  for (std::size_t p = 0; p < names.size(); ++p) {
    expect_file_name(names[p], data);
    const Index d = data.embedding_parts.empty() ? data.embeddings.cols() : data.embedding_parts[p];
    write_matrix(folder, fmt::format("{}/{}.npy", kEmbeddings, names[p]),
                 data.embeddings.middleCols(begin, d));
    begin += d;
  }
}

std::string fold_name(std::size_t fold) {
  return fold == 0 ? "validation_classes.txt" : fmt::format("validation_classes{}.txt", fold + 1);
}

bool is_part_of_a_dataset(const std::string& name) {
  static const std::set<std::string> names = {
      "features.npy",       "labels.npy",    "classes.txt",    kEmbeddings,
      "unseen_classes.txt", "test_seen.npy", "divergence.npy", kSynsets};
  const std::filesystem::path path = name;
  return names.count(name) != 0 ||
         (path.parent_path() == kEmbeddings && path.extension() == ".npy") ||
         (name.rfind("validation_classes", 0) == 0 && path.extension() == ".txt");
}

}  // namespace

void write_dataset(const Dataset& data, const std::string& path, bool replace) {
  OutputFolder folder(path);
  write_features(folder, data.features);
  write_integers(folder, "labels.npy", {data.labels.begin(), data.labels.end()});
  write_names(folder, "classes.txt", data.class_names);
  write_embeddings(folder, data);
  if (!data.partition.unseen.empty())
    write_classes(folder, "unseen_classes.txt", data.partition.unseen, data);
  for (std::size_t f = 0; f < data.partition.validation_folds.size(); ++f)
    write_classes(folder, fold_name(f), data.partition.validation_folds[f], data);
  if (!data.partition.held_out.empty())
    write_integers(folder, "test_seen.npy",
                   {data.partition.held_out.begin(), data.partition.held_out.end()});
  if (data.divergence) write_matrix(folder, "divergence.npy", *data.divergence);
  if (!data.synsets.empty()) write_synsets(folder, data);
  folder.publish(replace);
}

void expect_free_for_dataset(const std::string& path, bool replace) {
  expect_free(path, replace, is_part_of_a_dataset);
}

}  // namespace bzscr
