#pragma once

#include "data/formats/number_array.h"
#include "types/features.h"

#include <memory>
#include <string>
#include <vector>

namespace bzscr {

/// Features that come in several files, features.part-000.npy, features.part-001.npy and so on, one
/// below the other: where one file would be too large to move, or every program of many writes its
/// own.

/// The names of these files in a folder, by their numbers; empty if there are none. Throws
/// InputError where a number is missing or stands twice ("part-1" and "part-001").
std::vector<std::string> feature_part_names(const std::string& folder);

/// The pieces as one matrix. Throws InputError unless there are `rows` rows in all, and unless
/// several pieces agree in columns and type and hold their rows in C order.
/// \param pieces   at least one
/// \param whole    what they are together, for sentences: "zoo/features.npy"
/// \param because  why so many rows: "labels.npy has 48 labels"
/// \param owner    keeps their memory alive
FeatureView joined_features(const std::vector<NumberArray>& pieces, const std::string& whole,
                            Index rows, const std::string& because,
                            std::shared_ptr<const void>& owner);

}  // namespace bzscr
