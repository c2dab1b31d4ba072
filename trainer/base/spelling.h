#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bzscr {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b, case
/// aside.
std::size_t edits(const std::string& a, const std::string& b);

/// The candidate that takes the fewest edits to become `name`, case aside; empty if none is near
/// enough to be a slip of the finger.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// "; did you mean 'otter'?", or empty.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace bzscr
