#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bzscr {

/// The least number of insertions, deletions, replacements and swaps of neighbouring characters
/// that turn a into b, ignoring case.
std::size_t edits(const std::string& a, const std::string& b);

/// The candidate with the fewest edits to `name`, ignoring case; empty if none is near enough to be
/// a typo.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// "; did you mean 'otter'?", or empty.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace bzscr
