#include "data/formats/feature_parts.h"

#include <bzscr_train/error.hpp>
#include "data/dataset_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "features.part-";

/// The digits between prefix and .npy; empty: another file.
std::string digits_of(const std::string& name) {
  const fs::path path = name;
  const std::string stem = path.stem().string(), prefix = kPrefix;
  if (path.extension() != ".npy" || stem.compare(0, prefix.size(), prefix) != 0) return "";
  const std::string digits = stem.substr(prefix.size());
  const bool is_number =
      digits.size() <= 9 &&
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? digits : "";
}

std::string described(const FeatureView& part) {
  const char* const types[] = {"float16", "float32", "float64"};
  return fmt::format("{} columns of {}", part.columns, types[static_cast<int>(part.storage)]);
}

/// An owner that keeps several owners alive.
std::shared_ptr<const void> together(std::vector<std::shared_ptr<const void>> owners) {
  return std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(owners));
}

}  // namespace

std::vector<std::string> feature_part_names(const std::string& folder) {
  std::map<std::int64_t, std::string> by_number;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string(), digits = digits_of(name);
    if (digits.empty()) continue;
    const auto [at, is_new] = by_number.emplace(std::stoll(digits), name);
    if (!is_new)
      throw InputError(folder, fmt::format("holds both {} and {}; expected one",
                                           std::min(at->second, name), std::max(at->second, name)));
  }
  std::vector<std::string> names;
  for (const auto& [number, name] : by_number) {
    if (number != static_cast<std::int64_t>(names.size()))
      throw InputError(
          folder,
          fmt::format("holds {} but no {}{:03}.npy; expected parts numbered from 0 without a gap",
                      name, kPrefix, names.size()));
    names.push_back(name);
  }
  return names;
}

FeatureView joined_features(const std::vector<NumberArray>& parts, const std::string& whole,
                            Index rows, const std::string& because,
                            std::shared_ptr<const void>& owner) {
  if (parts.size() == 1) {
    FeatureView view = parts.front().features(owner);
    expect_rows(parts.front(), rows, because, fmt::format("({}, m)", rows));
    return view;
  }
  FeatureView all;
  std::vector<std::shared_ptr<const void>> owners(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const FeatureView part = parts[p].features(owners[p]);
    if (part.column_major)
      throw InputError(parts[p].where(),
                       "is in Fortran order; expected C order in features of several parts: save "
                       "numpy.ascontiguousarray(features)");
    if (p == 0) all = {part.data, part.storage, false, 0, part.columns, {}, part.release};
    if (!part.release) all.release = nullptr;
    if (part.columns != all.columns || part.storage != all.storage)
      throw InputError(parts[p].where(),
                       fmt::format("holds {}, but {} {}; expected the same in every part",
                                   described(part), parts.front().where(), described(all)));
    all.parts.push_back({all.rows, part.data});
    all.rows += part.rows;
  }
  if (all.rows != rows)
    throw InputError(whole,
                     fmt::format("its {} parts have {} rows in all, but {}; expected {} rows",
                                 parts.size(), all.rows, because, rows));
  owner = together(std::move(owners));
  return all;
}

}  // namespace bzscr
