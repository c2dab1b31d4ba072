#pragma once

#include <string>
#include <vector>

namespace bzscr::pack {

/// The rows of a NumPy file of numbers: float16 to float64, integers or bool, of either byte order
/// and in C or Fortran order. A vector is one row. Throws Error for anything else.
std::vector<std::vector<float>> read_npy(const std::string& path);

}  // namespace bzscr::pack
