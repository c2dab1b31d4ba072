#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bzscr {

/// The first few entries of a list, for a message, with the number of the others: "ant, bee", or
/// "ant, bee and 997 more".
std::string first_of(const std::vector<std::string>& entries);

/// Collects a list of which a message shows the first few entries.
class Listing {
 public:
  void add(const std::string& entry) {
    if (++count_ <= kShown) entries_.push_back(entry);
  }
  std::size_t count() const { return count_; }
  std::string text() const;  ///< as first_of()

 private:
  static constexpr std::size_t kShown = 10;
  std::vector<std::string> entries_;
  std::size_t count_ = 0;
};

/// "; 12 such rows: 3, 7, ...", or empty for one row.
std::string all_rows(const Listing& rows);

}  // namespace bzscr
