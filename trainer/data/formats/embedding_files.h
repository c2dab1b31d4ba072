#pragma once

#include "data/dataset_parts.h"
#include "data/formats/tables.h"

#include <optional>
#include <string>
#include <vector>

namespace bzscr {

/// The name of the folder of embeddings, and of a single embedding file without its extension.
constexpr const char* kEmbeddings = "embeddings";
constexpr const char* kSynsets = "synsets.txt";

std::string file_in(const std::string& folder, const std::string& name);  ///< folder/name
bool exists(const std::string& path);                                     ///< a file or folder

/// synsets.txt of a folder; empty if there is none.
Part<std::vector<SynsetId>> read_synsets(const std::string& folder, std::size_t classes);

/// NAME.npy, NAME.csv or NAME.tsv, whichever exists; empty if none does. Throws InputError if more
/// than one does.
std::string find_numbers(const std::string& folder, const std::string& name);

/// The names of the embedding files of a data set folder: embeddings/NAME.npy, .csv or .tsv, and
/// embeddings.npy, .csv or .tsv.
std::vector<std::string> embedding_names(const std::string& folder);

struct EmbeddingFile {
  std::string name, path;
  std::optional<EmbeddingTable> table{};  ///< of a .csv or .tsv
};
EmbeddingFile open_embedding(const std::string& folder, const std::string& name);

/// The embedding with its rows in the order of the classes.
EmbeddingPart embedding_part(const EmbeddingFile& file,
                             const Part<std::vector<std::string>>& class_names,
                             const ClassRows& rows);

}  // namespace bzscr
