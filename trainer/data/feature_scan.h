#pragma once

#include "data/content_hash.h"
#include "types/execution.h"
#include "types/features.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr {

/// Goes once through all features, in the order in which they lie in the file, each rank through
/// its range (InputErrors are those of the range): adds them to `hash` and returns the Euclidean
/// length of every row. The hash does not see whether rows lie in one piece or several. Throws
/// InputError naming file, row and column for a value that is not finite or does not fit float32,
/// and for a row that is all zero there.
/// \param where  the file of each piece
Vector scan_features(const std::vector<std::string>& where, const FeatureView& features,
                     const Execution& execution, ContentHash& hash);

}  // namespace bzscr
