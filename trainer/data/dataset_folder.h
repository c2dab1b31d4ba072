#pragma once

#include "data/dataset_parts.h"

#include <string>

namespace bzscr {

constexpr const char* kWhatAFolderHolds =
    "a data set holds features.npy, labels.npy, classes.txt and embeddings/NAME.npy";

/// A folder of features.npy, labels.npy, classes.txt, embeddings/NAME.npy and the optional files.
/// \param folder  is there
DatasetParts read_dataset_folder(const std::string& folder, const DatasetOptions& options);

}  // namespace bzscr
