#include "data/feature_scan.h"

#include <bzscr_train/error.hpp>
#include "comm/communicator.h"
#include "data/formats/listing.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace bzscr {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kSmallest = std::numeric_limits<float>::min();

double up_to_sign(double value) { return value; }
double up_to_sign(float value) { return static_cast<double>(value); }

/// |value|, by integer operations that vectorise on any machine. The bits of half precision,
/// shifted to their position in float32, are the value times 2^-112; infinity and NaN need another
/// exponent.
double up_to_sign(Eigen::half value) {
  const std::uint32_t bits = value.x & 0x7fffu;
  const std::uint32_t special = bits >= 0x7c00u ? 0x7f800000u : 0u;
  const std::uint32_t moved = (bits << 13) | special;
  float result;
  std::memcpy(&result, &moved, sizeof result);
  return static_cast<double>(result * 0x1p112f);
}

/// Squared length of a row. Eight explicit sums allow the loop to be vectorised, with an order of
/// additions that does not depend on the compiler.
template <class T>
double squared_length(const T* x, Index n) {
  constexpr Index kLanes = 8;
  double sums[kLanes] = {};
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) {
      const double value = up_to_sign(x[j + lane]);
      sums[lane] += value * value;
    }
  for (; j < n; ++j) sums[j % kLanes] += up_to_sign(x[j]) * up_to_sign(x[j]);
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

/// Rows per digest. The hash of the features is the hash of these digests, so that threads and
/// ranks compute them in parallel.
constexpr Index kHashedRows = 1024;

struct Scan {
  Vector squared;                                     ///< squared length of each row
  std::vector<std::array<std::uint8_t, 16>> digests;  ///< one per kHashedRows rows
  LocalRange own;                                     ///< digests that this rank computes
};

void release_rows(const FeatureView& features, Index first, Index last) {
  if (!features.release) return;
  const auto *const begin = static_cast<const char*>(features.row(first)),
                    *const end = static_cast<const char*>(features.row(last - 1));
  // false: the rows are in two parts
  const bool together = end - begin == (last - 1 - first) * features.row_bytes();
  if (together)
    features.release(begin, static_cast<std::size_t>((last - first) * features.row_bytes()));
}

/// Scans row by row, so that each row is hashed while it is in the cache.
template <class T>
void scan_rows(const FeatureView& features, int threads, Scan& scan) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (Index chunk = scan.own.first; chunk < scan.own.last; ++chunk) {
    ContentHash hash;
    const Index last = std::min(features.rows, (chunk + 1) * kHashedRows);
    for (Index i = chunk * kHashedRows; i < last; ++i) {
      const T* const row = static_cast<const T*>(features.row(i));
      scan.squared[i] = squared_length(row, features.columns);
      hash.add_bytes(row, static_cast<std::size_t>(features.row_bytes()));
    }
    scan.digests[static_cast<std::size_t>(chunk)] = hash.digest();
    release_rows(features, chunk * kHashedRows, last);
  }
}

/// The same for a column-major matrix, by windows of columns, in the order of the file.
template <class T>
void scan_columns(const FeatureView& features, int threads, Scan& scan) {
  constexpr Index kWindowBytes = Index{16} << 20;
  const T* const data = static_cast<const T*>(features.data);
  const Index window = std::max<Index>(
      1, kWindowBytes / std::max<Index>(1, features.rows * static_cast<Index>(sizeof(T))));
  std::vector<ContentHash> hashes(scan.digests.size());
  for (Index begin = 0; begin < features.columns; begin += window) {
    const Index end = std::min(features.columns, begin + window);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index chunk = scan.own.first; chunk < scan.own.last; ++chunk) {
      const Index first = chunk * kHashedRows, last = std::min(features.rows, first + kHashedRows);
      for (Index j = begin; j < end; ++j) {
        const T* const column = data + j * features.rows;
        for (Index i = first; i < last; ++i) {
          const double value = up_to_sign(column[i]);
          scan.squared[i] += value * value;
        }
        hashes[static_cast<std::size_t>(chunk)].add_bytes(
            column + first, static_cast<std::size_t>(last - first) * sizeof(T));
      }
    }
  }
  for (std::size_t chunk = 0; chunk < hashes.size(); ++chunk)
    scan.digests[chunk] = hashes[chunk].digest();
}

template <class T>
Scan scan_of(const FeatureView& features, const Execution& execution) {
  const Index chunks = (features.rows + kHashedRows - 1) / kHashedRows;
  Scan scan{Vector::Zero(features.rows), {}, communicator_of(execution).local_range(chunks)};
  const int threads = execution.threads > 0 ? execution.threads : omp_get_max_threads();
  scan.digests.resize(static_cast<std::size_t>(chunks));
  if (features.column_major)
    scan_columns<T>(features, threads, scan);
  else
    scan_rows<T>(features, threads, scan);
  return scan;
}

double value_at(const FeatureView& features, Index i, Index j) {
  const auto at = [&](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(features.column_major
                                   ? static_cast<const T*>(features.data)[j * features.rows + i]
                                   : static_cast<const T*>(features.row(i))[j]);
  };
  switch (features.storage) {
    case Storage::kFloat16: return at(Eigen::half{});
    case Storage::kFloat32: return at(float{});
    case Storage::kFloat64: return at(double{});
  }
  return 0.0;
}

/// A row in its file.
struct PlacedRow {
  std::size_t file;
  Index row;
};

PlacedRow placed(const FeatureView& features, Index i) {
  if (features.parts.empty()) return {0, i};
  const FeaturePart& part = features.part_of(i);
  return {static_cast<std::size_t>(&part - features.parts.data()), i - part.first};
}

double largest_in(const FeatureView& features, Index i) {
  double largest = 0.0;
  for (Index j = 0; j < features.columns; ++j)
    largest = std::max(largest, std::abs(value_at(features, i, j)));
  return largest;
}

bool holds_invalid(double squared) {
  // A single invalid value makes the sum of squares infinite, NaN or at least this large.
  return !(squared <= kLargest * kLargest);
}

bool is_invalid(double value) { return !(std::abs(value) <= kLargest); }

/// The first column with an invalid value in row i; -1: only the length of the row is large.
Index invalid_column(const FeatureView& features, Index i) {
  for (Index j = 0; j < features.columns; ++j)
    if (is_invalid(value_at(features, i, j))) return j;
  return -1;
}

/// Throws InputError for the first invalid row of a range, with the row in its file, and with the
/// number of all such rows.
void refuse_invalid_rows(const std::vector<std::string>& where, const FeatureView& features,
                         LocalRange range, const Vector& squared) {
  Listing invalid, zero;  // in the file of the first of each
  Index first_invalid = -1, first_zero = -1;
  const auto add = [&](Index i, Index& first, Listing& rows) {
    const PlacedRow at = placed(features, i);
    if (first < 0) first = i;
    if (at.file == placed(features, first).file) rows.add(std::to_string(at.row));
  };
  for (Index i = range.first; i < range.last; ++i) {
    if (holds_invalid(squared[i]) && invalid_column(features, i) >= 0)
      add(i, first_invalid, invalid);
    else if (squared[i] < kSmallest * kSmallest)
      add(i, first_zero, zero);
  }
  const bool is_zero = first_invalid < 0 || (first_zero >= 0 && first_zero < first_invalid);
  const Index first = is_zero ? first_zero : first_invalid;
  if (first < 0) return;
  const PlacedRow at = placed(features, first);
  const std::string& file = where[at.file];
  if (!is_zero) {
    const Index j = invalid_column(features, first);
    throw InputError(Place{file, at.row, j}, fmt::format("is {}", value_at(features, first, j)),
                     "finite values within float32" + all_rows(invalid));
  }
  if (const double largest = largest_in(features, first); largest > 0.0)
    throw InputError(Place{file, at.row},
                     fmt::format("has values up to {:.2g}, which are zero in float32", largest),
                     fmt::format("one of {:.2g} or more", kSmallest) + all_rows(zero));
  throw InputError(Place{file, at.row}, "is all zero",
                   "at least one nonzero feature" + all_rows(zero));
}

}  // namespace

Vector scan_features(const std::vector<std::string>& where, const FeatureView& features,
                     const Execution& execution, ContentHash& hash) {
  Scan scan;
  switch (features.storage) {
    case Storage::kFloat16: scan = scan_of<Eigen::half>(features, execution); break;
    case Storage::kFloat32: scan = scan_of<float>(features, execution); break;
    case Storage::kFloat64: scan = scan_of<double>(features, execution); break;
  }
  hash.begin("features");
  hash.add_number(static_cast<std::uint64_t>(features.storage));
  hash.add_number(features.column_major);
  hash.add_number(static_cast<std::uint64_t>(features.rows));
  hash.add_number(static_cast<std::uint64_t>(features.columns));
  Communicator& communicator = communicator_of(execution);
  communicator.allgather(scan.digests, scan.own);
  for (const auto& digest : scan.digests) hash.add_bytes(digest.data(), digest.size());
  const LocalRange rows{scan.own.first * kHashedRows,
                        std::min(features.rows, scan.own.last * kHashedRows)};
  refuse_invalid_rows(where, features, rows, scan.squared);
  communicator.allgather(scan.squared, rows);
  return scan.squared.cwiseSqrt();
}

}  // namespace bzscr
