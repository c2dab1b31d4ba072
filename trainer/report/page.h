#pragma once

#include "report/comparison.h"
#include "report/history.h"

#include <optional>
#include <string>
#include <vector>

namespace bzscr::report {

/// One HTML page on the runs, and on how methods compare where that is given. It needs nothing but
/// itself: style, data and the library that draws (D3) are in it, and it may load nothing. Names
/// are shown as they are, whatever is in them.
std::string page(const std::vector<Run>& runs, const std::optional<Comparison>& comparison);

}  // namespace bzscr::report
