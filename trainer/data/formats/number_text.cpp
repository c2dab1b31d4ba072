#include "data/formats/number_text.h"

#include <charconv>
#include <cstdlib>
#include <string>

#include <locale.h>

namespace bzscr {
namespace {

/// A number out of the range of double, about which from_chars does not say at which end.
double out_of_range(std::string_view text) {
  static const locale_t c_locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return ::strtod_l(std::string(text).c_str(), nullptr, c_locale);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);  // from_chars does not accept it
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stopped != end || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc() ? value : out_of_range(text);
}

}  // namespace bzscr
