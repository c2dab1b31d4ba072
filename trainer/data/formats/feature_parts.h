#pragma once

#include "data/formats/number_array.h"
#include "types/features.h"

#include <memory>
#include <string>
#include <vector>

namespace bzscr {

// Features in several files of consecutive rows, features.part-000.npy, features.part-001.npy and
// so on: for files that would be too large to move, or that several programs write.

/// The names of these files in a folder, by ascending number; empty if there are none. Throws
/// InputError if a number is missing or occurs twice ("part-1" and "part-001").
std::vector<std::string> feature_part_names(const std::string& folder);

/// The parts as one matrix. Throws InputError unless they have `rows` rows in all and, if there are
/// several, the same columns and type, and C order.
/// \param parts    at least one
/// \param whole    name of the whole matrix, for messages: "zoo/features.npy"
/// \param because  the reason for `rows`, for messages: "labels.npy has 48 labels"
/// \param owner    output: keeps the memory alive
FeatureView joined_features(const std::vector<NumberArray>& parts, const std::string& whole,
                            Index rows, const std::string& because,
                            std::shared_ptr<const void>& owner);

}  // namespace bzscr
