#pragma once

#include "data/dataset_parts.h"

#include <string>

namespace bzscr {

constexpr const char* kWhatAFolderHolds =
    "expected a data set: a folder of features.npy, labels.npy, classes.txt and "
    "embeddings/NAME.npy, or another of the data set formats";

/// Reads a folder of features.npy, labels.npy, classes.txt, embeddings/NAME.npy and optional files.
/// Each .npy file except divergence.npy may be replaced by a table (tables.h), .csv or .tsv:
/// features.csv holds the labels too, and without classes.txt the rows of the first embedding's
/// table name the classes.
/// \param folder  must exist
DatasetParts read_dataset_folder(const std::string& folder, const DatasetOptions& options);

}  // namespace bzscr
