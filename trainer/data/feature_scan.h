#pragma once

#include "data/content_hash.h"
#include "types/features.h"
#include "types/linalg.h"

#include <string>

namespace bzscr {

/// Goes once through all features, in the order in which they lie in the file: adds them to `hash` and
/// returns the Euclidean length of every row. Throws InputError beginning with `path`, naming row and
/// column, for a value that is not finite or does not fit float32, and for a row that is all zero there.
Vector scan_features(const std::string& path, const FeatureView& features, ContentHash& hash);

}  // namespace bzscr
