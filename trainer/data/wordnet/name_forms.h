#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// A name as it is compared where its spelling does not matter: A to Z in lower case, and '_' for
/// each of space, '+', '-' and '_'. "Polar+bear" and "polar bear" are "polar_bear".
std::string folded_name(std::string_view name);

/// What stands between those four, as spelled: "Polar" and "bear". Empty for a name of nothing
/// else.
std::vector<std::string> words_of(std::string_view name);

}  // namespace bzscr
