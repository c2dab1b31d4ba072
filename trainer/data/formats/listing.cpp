#include "data/formats/listing.h"

#include <fmt/format.h>

namespace bzscr {

std::string Listing::text() const {
  const std::string text = fmt::format("{}", fmt::join(entries_, ", "));
  return count_ == entries_.size() ? text
                                   : fmt::format("{} and {} more", text, count_ - entries_.size());
}

std::string first_of(const std::vector<std::string>& entries) {
  Listing listing;
  for (const std::string& entry : entries) listing.add(entry);
  return listing.text();
}

std::string all_rows(const Listing& rows) {
  return rows.count() < 2 ? "" : fmt::format("; {} such rows: {}", rows.count(), rows.text());
}

}  // namespace bzscr
