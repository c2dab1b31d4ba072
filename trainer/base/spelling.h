#pragma once

#include <cstddef>
#include <cstdint>
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

/// A number with its noun: "1 row", "2 rows", "3 classes".
std::string counted(std::uint64_t number, const std::string& noun);

}  // namespace bzscr
