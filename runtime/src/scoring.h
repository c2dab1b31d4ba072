#pragma once

#include "handle.h"

namespace bzscr::rt {

/// Scores of `n` classes from index `first` on, the penalty of seen classes taken off: what every caller
/// of the library gets comes from here.
void score_classes(const bzscr_rt& handle, const float* query, uint32_t first, uint32_t n, float* scores);

}  // namespace bzscr::rt
