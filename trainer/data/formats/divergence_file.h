#pragma once

#include "data/formats/number_array.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr {

/// A divergence between classes: C x C for the C names given, row y for true class y, values in [0,
/// 1], zero diagonal. Values beyond this by rounding, up to 1e-5, are replaced by the nearest valid
/// ones. Throws InputError otherwise. An asymmetric matrix is valid; a note about an asymmetry above
/// rounding is added to `notes`.
Matrix checked_divergence(const NumberArray& array, const std::vector<std::string>& class_names,
                          std::vector<std::string>& notes);

/// The same from a .npy file.
Matrix read_divergence_file(const std::string& path, const std::vector<std::string>& class_names,
                            std::vector<std::string>& notes);

}  // namespace bzscr
