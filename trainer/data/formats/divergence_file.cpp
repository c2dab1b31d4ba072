#include "data/formats/divergence_file.h"

#include <bzscr_train/error.hpp>
#include "data/formats/npy_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bzscr {

Matrix checked_divergence(const NumberArray& array, const std::vector<std::string>& class_names,
                          std::vector<std::string>& notes) {
  const std::string& path = array.where();
  Matrix Delta = array.matrix();
  const auto C = static_cast<Index>(class_names.size());
  if (Delta.rows() != C || Delta.cols() != C)
    throw InputError(path,
                     fmt::format("shape is {}; expected ({}, {}), a row and a column per class",
                                 text_of(array.shape()), C, C));

  const auto name = [&](Index r) -> const std::string& {
    return class_names[static_cast<std::size_t>(r)];
  };
  // Float32 arithmetic changes the last digits, and differently in the two halves.
  constexpr double kRounding = 1e-5;
  for (Index y = 0; y < C; ++y) {
    for (Index r = 0; r < C; ++r) {
      if (Delta(y, r) >= -kRounding && Delta(y, r) <= 1.0 + kRounding)
        Delta(y, r) = std::min(1.0, std::max(0.0, Delta(y, r)));
      if (!(Delta(y, r) >= 0.0 && Delta(y, r) <= 1.0))
        throw InputError(
            path, fmt::format("row {} ('{}'), column {} ('{}') is {}; expected values in 0..1", y,
                              name(y), r, name(r), Delta(y, r)));
    }
    if (Delta(y, y) > kRounding)
      throw InputError(Place{path, y, -1, name(y)},
                       fmt::format("has {} on the diagonal", Delta(y, y)), "0 for equal classes");
    Delta(y, y) = 0.0;
  }
  for (Index y = 0; y < C; ++y)
    for (Index r = 0; r < y; ++r)
      if (std::abs(Delta(y, r) - Delta(r, y)) > kRounding) {
        notes.push_back(
            fmt::format("{}: is not symmetric: '{}' to '{}' is {}, in the other direction {}; rows "
                        "are used as true classes",
                        path, name(y), name(r), Delta(y, r), Delta(r, y)));
        return Delta;
      }
  return Delta;
}

Matrix read_divergence_file(const std::string& path, const std::vector<std::string>& class_names,
                            std::vector<std::string>& notes) {
  return checked_divergence(NpyFile(path), class_names, notes);
}

}  // namespace bzscr
