#pragma once

#include <optional>
#include <string_view>

namespace bzscr {

/// The value of a number that is written as 1, -2.5, +.5 or 1e-3: all of the text, without blanks.
/// A number too small for double becomes zero, and one too large infinity; inf and nan are values.
/// Empty for anything else. Does not depend on the locale.
std::optional<double> parse_number(std::string_view text);

}  // namespace bzscr
