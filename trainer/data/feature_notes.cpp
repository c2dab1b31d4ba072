#include "data/feature_notes.h"

#include "data/content_hash.h"
#include "data/formats/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

namespace bzscr {
namespace {

constexpr Index kFewValues = Index{1} << 20;   // all of which are looked at
constexpr Index kSampledRows = 64;             // of more
constexpr std::int64_t kFewBytes = 4ll << 20;  // of rows of equal length that are compared

template <class T>
void copy_row(const FeatureView& features, Index i, Eigen::Ref<Vector> row) {
  for (Index j = 0; j < features.columns; ++j)
    row[j] = static_cast<double>(features.column_major
                                     ? static_cast<const T*>(features.data)[j * features.rows + i]
                                     : static_cast<const T*>(features.row(i))[j]);
}

Vector row_of(const FeatureView& features, Index i) {
  Vector row(features.columns);
  switch (features.storage) {
    case Storage::kFloat16: copy_row<Eigen::half>(features, i, row); break;
    case Storage::kFloat32: copy_row<float>(features, i, row); break;
    case Storage::kFloat64: copy_row<double>(features, i, row); break;
  }
  return row;
}

std::string name_of(const FeatureFacts& facts, Index column) {
  return facts.feature_names.empty()
             ? std::to_string(column)
             : fmt::format("'{}'", facts.feature_names[static_cast<std::size_t>(column)]);
}

// Samples

/// Ranges of rows of equal length and not all of one class, in an order by length.
struct Candidates {
  std::vector<std::pair<double, Index>> order;  // norm and row
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
};

/// The rows whose length another row has too. A hash table of lengths, as sorting all of them would
/// take longer than many features take to read.
std::vector<std::pair<double, Index>> rows_of_shared_length(const Vector& norms) {
  std::size_t slots = 16;
  while (slots < 2 * static_cast<std::size_t>(norms.size())) slots *= 2;
  std::vector<std::int32_t> first(slots, -1);  // the first row of a length
  std::vector<bool> is_shared(static_cast<std::size_t>(norms.size()));
  std::vector<std::pair<double, Index>> shared;
  for (Index i = 0; i < norms.size(); ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, &norms[i], sizeof bits);
    std::size_t slot = (bits * 0x9E3779B97F4A7C15u >> 20) & (slots - 1);
    while (first[slot] >= 0 && norms[first[slot]] != norms[i]) slot = (slot + 1) & (slots - 1);
    const Index earlier = first[slot];
    if (earlier < 0) {
      first[slot] = static_cast<std::int32_t>(i);
      continue;
    }
    if (!is_shared[static_cast<std::size_t>(earlier)]) shared.emplace_back(norms[i], earlier);
    is_shared[static_cast<std::size_t>(earlier)] = true;
    shared.emplace_back(norms[i], i);
  }
  return shared;
}

Candidates rows_of_equal_length(const FeatureFacts& facts) {
  Candidates found;
  if (facts.norms.size() > std::numeric_limits<std::int32_t>::max()) return found;
  found.order = rows_of_shared_length(facts.norms);
  std::sort(found.order.begin(), found.order.end());
  const auto label = [&](std::size_t at) {
    return facts.labels[static_cast<std::size_t>(found.order[at].second)];
  };
  for (std::size_t begin = 0, end = 0; begin < found.order.size(); begin = end) {
    bool differ = false;
    for (end = begin + 1;
         end < found.order.size() && found.order[end].first == found.order[begin].first; ++end)
      differ = differ || label(end) != label(begin);
    if (differ) found.ranges.emplace_back(begin, end);
  }
  return found;
}

std::array<std::uint8_t, 16> hash_of(const FeatureView& features, Index i) {
  const Vector row = row_of(features, i);
  ContentHash hash;
  hash.add_bytes(row.data(), static_cast<std::size_t>(row.size()) * sizeof(double));
  return hash.digest();
}

void note_identical_samples(const FeatureFacts& facts, std::vector<std::string>& notes) {
  const FeatureView& features = facts.features;
  const std::int64_t all_bytes = features.rows * features.row_bytes();
  std::int64_t left = std::max(kFewBytes, all_bytes / 100);
  Listing pairs;
  const Candidates candidates = rows_of_equal_length(facts);
  for (const auto& [begin, end] : candidates.ranges) {
    std::map<std::array<std::uint8_t, 16>, Index> first;  // sample with these features
    for (std::size_t at = begin; at < end && left > 0; ++at, left -= features.row_bytes()) {
      const Index i = candidates.order[at].second;
      const auto [earlier, is_new] = first.emplace(hash_of(features, i), i);
      const auto label = [&](Index sample) {
        return facts.labels[static_cast<std::size_t>(sample)];
      };
      const auto name = [&](Index sample) {
        return facts.class_names[static_cast<std::size_t>(label(sample))];
      };
      if (!is_new && label(i) != label(earlier->second))
        pairs.add(fmt::format("{} ('{}') and {} ('{}')", earlier->second, name(earlier->second), i,
                              name(i)));
    }
  }
  if (pairs.count() > 0)
    notes.push_back(fmt::format(
        "{}: {}{}{} identical features and different labels: {}", facts.where,
        left > 0 ? "" : "at least ", pairs.count(),
        pairs.count() == 1 ? " pair of samples has" : " pairs of samples have", pairs.text()));
}

// Columns

/// Rows at equal distances, at most as many as cost little; all of a few.
Matrix sampled_rows(const FeatureFacts& facts) {
  const FeatureView& features = facts.features;
  const bool all = features.rows * features.columns <= kFewValues;
  if (!all && features.column_major) return {};  // a row of these is read from all of the file
  const Index count = all ? features.rows : std::min(features.rows, kSampledRows);
  Matrix rows(count, features.columns);
  for (Index k = 0; k < count; ++k)
    rows.row(k) = row_of(features, k * features.rows / count).transpose();
  return rows;
}

void note_constant_columns(const FeatureFacts& facts, const Matrix& rows,
                           std::vector<std::string>& notes) {
  const bool all = rows.rows() == facts.features.rows;
  Listing constant;
  for (Index j = 0; j < rows.cols(); ++j) {
    // Columns that are mostly zero are common, and may be so in the sampled rows by chance.
    if (!all && rows(0, j) == 0.0) continue;
    if ((rows.col(j).array() == rows(0, j)).all()) constant.add(name_of(facts, j));
  }
  if (constant.count() > 0)
    notes.push_back(
        fmt::format("{}: {} of {} columns hold{} one value in {}: {}", facts.where,
                    constant.count(), rows.cols(), constant.count() == 1 ? "s" : "",
                    all ? "all samples" : fmt::format("all of {} samples compared", rows.rows()),
                    constant.text()));
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.1f}", std::floor(share * 1000) / 10); }

LongColumn long_column(const Matrix& rows) {
  constexpr double kNearlyAll = 0.99;
  if (rows.rows() == 0 || rows.cols() < 2) return {};
  const Vector lengths = rows.rowwise().squaredNorm();
  Vector shares = Vector::Zero(rows.cols());
  Index counted = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!(lengths[i] > 0.0)) continue;
    shares += rows.row(i).cwiseAbs2().transpose() / lengths[i];
    ++counted;
  }
  if (counted == 0) return {};
  Index longest = 0;
  const double share = shares.maxCoeff(&longest) / static_cast<double>(counted);
  return share >= kNearlyAll ? LongColumn{longest, share} : LongColumn{};
}

FeatureNotes feature_notes(const FeatureFacts& facts) {
  FeatureNotes found;
  note_identical_samples(facts, found.notes);
  if (facts.features.rows < 2) return found;
  const Matrix rows = sampled_rows(facts);
  if (rows.rows() < 2) return found;
  note_constant_columns(facts, rows, found.notes);
  found.longest = long_column(rows);
  if (found.longest.column >= 0)
    found.notes.push_back(fmt::format(
        "{}: column {} carries {} % of the squared length of the samples, so that "
        "little is left of the others in samples of unit length; training "
        "standardises the columns unless it is told another scaling",
        facts.where, name_of(facts, found.longest.column), percent(found.longest.share)));
  return found;
}

}  // namespace bzscr
