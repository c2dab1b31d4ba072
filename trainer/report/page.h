#pragma once

#include "report/comparison.h"
#include "report/history.h"

#include <optional>
#include <string>
#include <vector>

namespace bzscr::report {

/// A self-contained HTML page about the runs, and about a comparison of methods if there is one. It
/// contains style, data and scripts (D3), and its content security policy forbids loading anything.
/// All names are escaped.
std::string page(const std::vector<Run>& runs, const std::optional<Comparison>& comparison);

}  // namespace bzscr::report
