#pragma once

#include "data/dataset_parts.h"

#include <string>

namespace bzscr {

constexpr const char* kWhatAFolderHolds =
    "a data set holds features.npy, labels.npy, classes.txt and embeddings/NAME.npy; --help names "
    "other formats";

/// A folder of features.npy, labels.npy, classes.txt, embeddings/NAME.npy and the optional files.
/// In place of any .npy file but divergence.npy there may be a table (tables.h), .csv or .tsv:
/// features.csv has the labels too, and where classes.txt is missing, the rows of the first
/// embedding's table name the classes.
/// \param folder  is there
DatasetParts read_dataset_folder(const std::string& folder, const DatasetOptions& options);

}  // namespace bzscr
