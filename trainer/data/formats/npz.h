#pragma once

#include "data/dataset_parts.h"

#include <string>

namespace bzscr {

/// Whether a path names an archive of NumPy's savez: NAME.npz.
bool is_npz(const std::string& path);

/// Reads a data set from one .npz archive, stored or compressed. Its keys are the names of the
/// files in a folder: features, labels, classes (texts), embeddings/NAME or, for a single one,
/// embeddings; optional: unseen_classes, validation_classes, validation_classes2, ... (texts),
/// test_seen, divergence and synsets (texts).
DatasetParts read_npz(const std::string& path, const DatasetOptions& options);

}  // namespace bzscr
