#pragma once

#include "data/dataset_parts.h"

#include <string>

namespace bzscr {

/// Whether a path names an archive of NumPy's savez: NAME.npz.
bool is_npz(const std::string& path);

/// A data set in one .npz archive, stored or compressed. Its keys are what the folder calls its
/// files: features, labels, classes (texts), embeddings/NAME or the only one embeddings, and where
/// there are any unseen_classes, validation_classes, validation_classes2, ... (texts), test_seen,
/// divergence and synsets (texts).
DatasetParts read_npz(const std::string& path, const DatasetOptions& options);

}  // namespace bzscr
