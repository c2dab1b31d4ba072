#include "data/formats/embedding_files.h"

#include <bzscr_train/error.hpp>
#include "data/formats/class_files.h"
#include "data/formats/npy_file.h"
#include "data/formats/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace bzscr {
namespace fs = std::filesystem;

std::string file_in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !error;
}

Part<std::vector<SynsetId>> read_synsets(const std::string& folder, std::size_t classes) {
  const std::string path = file_in(folder, kSynsets);
  return {exists(path) ? read_synset_ids(path, classes) : std::vector<SynsetId>(), path, kSynsets};
}

std::string find_numbers(const std::string& folder, const std::string& name) {
  std::string found;
  for (const char* extension : {".npy", ".csv", ".tsv"}) {
    if (!exists(file_in(folder, name + extension))) continue;
    if (!found.empty())
      throw InputError(folder,
                       fmt::format("holds both {} and {}{}; expected one", found, name, extension));
    found = name + extension;
  }
  return found;
}

std::vector<std::string> embedding_names(const std::string& folder) {
  std::vector<std::string> names;
  const std::string inside = file_in(folder, kEmbeddings);
  std::error_code error;
  const fs::directory_iterator entries(inside, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(inside, "cannot be read: " + error.message());
  for (const fs::directory_entry& entry : entries)
    if (entry.path().extension() == ".npy" || is_table(entry.path().string()))
      names.push_back(entry.path().stem().string());
  if (!find_numbers(folder, kEmbeddings).empty()) names.push_back(kEmbeddings);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

EmbeddingFile open_embedding(const std::string& folder, const std::string& name) {
  const std::string inside = file_in(folder, kEmbeddings);
  const std::string found = find_numbers(inside, name);
  EmbeddingFile file{
      name, found.empty() ? file_in(folder, find_numbers(folder, name)) : file_in(inside, found)};
  if (is_table(file.path)) file.table = read_embedding_table(file.path);
  return file;
}

EmbeddingPart embedding_part(const EmbeddingFile& file,
                             const Part<std::vector<std::string>>& class_names,
                             const ClassRows& rows) {
  if (file.table)
    return {file.name,
            file.path,
            in_order_of(*file.table, file.path, rows, class_names.value),
            {},
            file.table->columns};
  const NpyFile array(file.path);
  const std::size_t C = class_names.value.size();
  expect_rows(array, static_cast<Index>(C), fmt::format("{} names {} classes", class_names.name, C),
              fmt::format("({}, d)", C));
  return {file.name, file.path, array.matrix()};
}

}  // namespace bzscr
