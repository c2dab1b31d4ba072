#include "base/spelling.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bzscr {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

// The usual table of dynamic programming; only three of its rows are kept.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> two_above, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above = std::move(above);
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j - 1] + (equal ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row.back();
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 256;  // longer lines are not names
  if (name.size() > kLongest) return {};
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t longer =
        std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (longer >= fewest)
      continue;  // needs at least as many edits; the case for most of a large dictionary
    const std::size_t distance = edits(name, candidate);
    if (distance < fewest && distance < std::max(name.size(), candidate.size())) {
      fewest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?";
}

std::string counted(std::uint64_t number, const std::string& noun) {
  const char* const ending = number == 1 ? "" : noun.back() == 's' ? "es" : "s";
  return std::to_string(number) + " " + noun + ending;
}

}  // namespace bzscr
