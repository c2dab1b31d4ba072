#pragma once

#include "data/dataset_parts.h"
#include "data/formats/tables.h"

#include <optional>
#include <string>
#include <vector>

namespace bzscr {

/// The folder of embeddings, and the name of one that stands beside it.
constexpr const char* kEmbeddings = "embeddings";
constexpr const char* kSynsets = "synsets.txt";

/// folder/name, and whether there is such a file or folder.
std::string file_in(const std::string& folder, const std::string& name);
bool exists(const std::string& path);

/// synsets.txt of a folder, where there is one.
Part<std::vector<SynsetId>> read_synsets(const std::string& folder, std::size_t classes);

/// NAME.npy, NAME.csv or NAME.tsv, whichever there is; empty if there is none. Throws InputError
/// for two.
std::string find_numbers(const std::string& folder, const std::string& name);

/// The embeddings that a data set folder has as files: embeddings/NAME.npy, .csv or .tsv, and one
/// that may stand beside them as embeddings.npy, .csv or .tsv.
std::vector<std::string> embedding_names(const std::string& folder);

/// One of them.
struct EmbeddingFile {
  std::string name, path;
  std::optional<EmbeddingTable> table{};  ///< of a .csv or .tsv
};
EmbeddingFile open_embedding(const std::string& folder, const std::string& name);

/// Its rows in the order of the classes.
EmbeddingPart embedding_part(const EmbeddingFile& file,
                             const Part<std::vector<std::string>>& class_names,
                             const ClassRows& rows);

}  // namespace bzscr
