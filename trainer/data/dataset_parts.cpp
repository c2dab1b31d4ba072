#include "data/dataset_parts.h"

#include <bzscr_train/error.hpp>
#include "base/spelling.h"
#include "data/formats/listing.h"

#include <fmt/format.h>

#include <algorithm>

namespace bzscr {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
  }
  return words;
}

Part<std::vector<std::string>> at_least_two(Part<std::vector<std::string>> class_names) {
  if (class_names.value.size() < 2)
    throw InputError(class_names.where, "names only one class; expected at least 2");
  return class_names;
}

Labels class_rows(const Part<std::vector<std::int64_t>>& labels, std::int64_t first,
                  const Part<std::vector<std::string>>& classes) {
  const std::vector<std::int64_t>& values = labels.value;
  if (values.empty()) throw InputError(labels.where, "holds no labels");
  const auto last = static_cast<std::int64_t>(classes.value.size()) - 1 + first;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const std::int64_t other = 1 - first;
  const bool from_other = *lowest >= other && *highest == last + other - first;
  const std::string hint = from_other
                               ? fmt::format("; labels seem to count from {}: save labels {} 1",
                                             other, first == 0 ? '-' : '+')
                               : "";

  Labels rows(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < first || values[i] > last)
      throw InputError(Place{labels.where, static_cast<std::int64_t>(i) + first},
                       fmt::format("holds label {}", values[i]),
                       fmt::format("{} to {}, the rows of {}{}", first, last, classes.name, hint));
    rows[i] = static_cast<std::int32_t>(values[i] - first);
  }
  return rows;
}

namespace {

bool looks_like_mask(const std::vector<std::int64_t>& values, std::size_t samples) {
  return values.size() == samples &&
         std::all_of(values.begin(), values.end(),
                     [](std::int64_t value) { return value == 0 || value == 1; });
}

}  // namespace

std::vector<Index> sample_rows(const Part<std::vector<std::int64_t>>& rows, std::int64_t first,
                               std::size_t samples, const std::string& features_name) {
  const std::int64_t last = static_cast<std::int64_t>(samples) - 1 + first;
  const std::int64_t other = 1 - first;
  std::vector<bool> taken(samples);
  for (const std::int64_t value : rows.value) {
    if (value < first || value > last) {
      const auto [lowest, highest] = std::minmax_element(rows.value.begin(), rows.value.end());
      const bool from_other = *lowest >= other && *highest == last + other - first;
      throw InputError(
          rows.where,
          fmt::format("sample {} is not in {}..{}, the rows of {}{}", value, first, last,
                      features_name,
                      from_other ? fmt::format("; they seem to count from {}: save them {} 1",
                                               other, first == 0 ? '-' : '+')
                                 : ""));
    }
    const auto i = static_cast<std::size_t>(value - first);
    if (taken[i])
      throw InputError(rows.where, fmt::format("sample {} is named twice{}", value,
                                               looks_like_mask(rows.value, samples)
                                                   ? "; it looks like a mask: save the numbers of "
                                                     "the rows, numpy.flatnonzero(mask)"
                                                   : ""));
    taken[i] = true;
  }
  std::vector<Index> ascending;
  for (std::size_t i = 0; i < samples; ++i)
    if (taken[i]) ascending.push_back(static_cast<Index>(i));
  return ascending;
}

void expect_rows(const NumberArray& array, Index rows, const std::string& because,
                 const std::string& expected) {
  const std::vector<Index>& shape = array.shape();
  // NumberArray checks the number of dimensions.
  if (shape.size() != 2 || shape[0] == rows) return;
  const char* const hint = shape[1] == rows ? "; it looks transposed: save its .T" : "";
  throw InputError(array.where(), fmt::format("shape is {}, but {}; expected {}{}", text_of(shape),
                                              because, expected, hint));
}

std::vector<std::string> choose_embeddings(const std::string& where,
                                           std::vector<std::string> available,
                                           const DatasetOptions& options,
                                           const std::string& usual) {
  std::sort(available.begin(), available.end());
  available.erase(std::unique(available.begin(), available.end()), available.end());
  if (available.empty()) throw InputError(where, "holds no embedding");
  if (options.all_embeddings && options.embedding.empty()) return available;
  if (options.embedding.empty() && !usual.empty()) return {usual};
  if (options.embedding.empty() && available.size() == 1) return available;
  if (options.embedding.empty())
    throw InputError(
        where,
        fmt::format("holds several embeddings: {}; say which one by the option embedding, or "
                    "several separated by commas",
                    first_of(available)));
  const std::vector<std::string> wanted = split_at_commas(options.embedding);
  for (auto name = wanted.begin(); name != wanted.end(); ++name) {
    if (!std::binary_search(available.begin(), available.end(), *name))
      throw InputError(where, fmt::format("holds no embedding '{}', only {}{}", *name,
                                          first_of(available), did_you_mean(*name, available)));
    if (std::find(wanted.begin(), name, *name) != name) {
      Place place;
      place.option = "embedding";
      throw InputError(place, fmt::format("names '{}' twice", *name), "each name once");
    }
  }
  return wanted;
}

}  // namespace bzscr
