#pragma once

#include "data/content_hash.h"
#include "types/execution.h"
#include "types/features.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr {

/// Reads all features once, in the order of the file; each rank reads its range of rows. Adds them
/// to `hash` and returns the Euclidean length of every row (N). The hash does not depend on the
/// division of the rows into parts. Throws InputError with file, row and column for a value that is
/// not finite or does not fit float32, and for a row that is all zero in float32; each rank checks
/// only its range.
/// \param where  the file of each part
Vector scan_features(const std::vector<std::string>& where, const FeatureView& features,
                     const Execution& execution, ContentHash& hash);

}  // namespace bzscr
