#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// The normal form of a name for comparisons: A to Z in lower case, and '_' for each of space, '+',
/// '-' and '_'. "Polar+bear" and "polar bear" are "polar_bear".
std::string folded_name(std::string_view name);

/// The words between those four characters, as spelled: "Polar" and "bear". Empty for a name
/// without other characters.
std::vector<std::string> words_of(std::string_view name);

}  // namespace bzscr
