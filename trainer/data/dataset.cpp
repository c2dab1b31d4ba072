#include "data/dataset.h"

#include <bzscr_train/error.hpp>
#include "base/available_memory.h"
#include "base/foreign_file.h"
#include "base/hexadecimal.h"
#include "base/mapped_file.h"
#include "comm/communicator.h"
#include "data/content_hash.h"
#include "data/dataset_parts.h"
#include "data/feature_notes.h"
#include "data/feature_scan.h"
#include "data/formats/dataset_folder.h"
#include "data/formats/divergence_file.h"
#include "data/formats/feature_parts.h"
#include "data/formats/listing.h"
#include "data/formats/npz.h"
#include "data/formats/table_file.h"
#include "data/formats/xlsa17.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<Index>& sorted, Index value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

const std::string& name_of(const Dataset& data, Index r) {
  return data.class_names[static_cast<std::size_t>(r)];
}

// Formats

void expect_folder(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error) || error) throw InputError(path, "no such folder");
  if (fs::is_regular_file(path, error) && !fs::is_empty(path, error) && !error)
    refuse_foreign_file(path, MappedFile(path).text());
  if (!fs::is_directory(path, error))
    throw InputError(path,
                     fmt::format("is neither a folder nor an .npz archive; {}", kWhatAFolderHolds));
  const bool is_empty = fs::is_empty(path, error);
  if (error) throw InputError(path, "cannot be read: " + error.message());
  if (is_empty) throw InputError(path, fmt::format("is empty; {}", kWhatAFolderHolds));
}

DatasetParts read_parts(const std::string& path, const DatasetOptions& options) {
  std::error_code unreadable;
  if (is_npz(path) && !fs::is_directory(path, unreadable)) return read_npz(path, options);
  expect_folder(path);
  if (is_xlsa17(path)) return read_xlsa17(path, options);
  return read_dataset_folder(path, options);
}

// Classes

std::vector<Index> samples_of_classes(const Dataset& data) {
  std::vector<Index> samples(data.class_names.size());
  for (const std::int32_t r : data.labels) ++samples[static_cast<std::size_t>(r)];
  return samples;
}

bool is_in_a_fold(const DatasetParts& parts, Index r) {
  return std::any_of(parts.validation_folds.begin(), parts.validation_folds.end(),
                     [&](const auto& fold) { return contains(fold.value, r); });
}

/// Throws InputError if labels may count from 1: then the classes without samples are others.
void refuse_labels_from_one(const Dataset& data, const DatasetParts& parts,
                            const std::vector<Index>& samples) {
  if (parts.labels_by_name || samples[0] > 0 || samples[1] == 0) return;
  throw InputError(
      parts.labels.where,
      fmt::format(
          "the lowest label is 1, and no sample is of class 0 ('{}'), while no list says "
          "which classes are unseen; expected labels from 0 (save labels - 1 if these count "
          "from 1), or the list unseen_classes",
          name_of(data, 0)));
}

/// Without a list, the classes without samples are unseen: as seen classes they would be trained as
/// negatives of all samples.
void infer_unseen_classes(Dataset& data, const DatasetParts& parts) {
  const std::vector<Index> samples = samples_of_classes(data);
  std::vector<Index> without;
  Listing names;
  for (Index r = 0; r < static_cast<Index>(samples.size()); ++r)
    if (samples[static_cast<std::size_t>(r)] == 0 && !is_in_a_fold(parts, r)) {
      without.push_back(r);
      names.add(name_of(data, r));
    }
  if (without.empty() || samples.size() - without.size() < 2) return;
  refuse_labels_from_one(data, parts, samples);
  data.notes.push_back(
      fmt::format("{}: {} of {} classes have no sample, and no list unseen_classes "
                  "is given, so they are unseen: {}",
                  parts.labels.where, names.count(), samples.size(), names.text()));
  data.partition.unseen = std::move(without);
}

void take_unseen_classes(Dataset& data, const DatasetParts& parts) {
  if (!parts.unseen_classes) return infer_unseen_classes(data, parts);
  data.partition.unseen = parts.unseen_classes->value;
}

void take_validation_folds(Dataset& data, const DatasetParts& parts) {
  for (const auto& fold : parts.validation_folds) {
    for (const Index r : fold.value)
      if (contains(data.partition.unseen, r))
        throw InputError(
            fold.where,
            fmt::format("'{}' is also in {}; expected seen classes, as hyper-parameters are never "
                        "chosen on unseen ones",
                        name_of(data, r), parts.unseen_classes->name));
    data.partition.validation_folds.push_back(fold.value);
  }
}

// Samples

void take_features(Dataset& data, const DatasetParts& parts, const Execution& execution,
                   ContentHash& hash) {
  const std::vector<NumberArray> arrays = parts.read_features();
  std::vector<std::string> where;
  for (const NumberArray& array : arrays) {
    where.push_back(array.where());
    // Tables and archives were unpacked into a file of their own.
    if (parts.mapped && !is_table(array.where())) data.mapped_files.emplace_back(array.where());
  }
  const auto N = static_cast<Index>(data.labels.size());
  data.features =
      joined_features(arrays, data.folder, N, fmt::format("{} has {} labels", parts.labels.name, N),
                      data.features_owner);
  if (data.features.columns == 0)
    throw InputError(where.front(), fmt::format("shape is {}: there are no features",
                                                text_of(arrays.front().shape())));
  // Each rank reads its share. Pages are kept from one pass to the next if the share fits into half
  // of the available memory.
  const auto share = static_cast<std::uint64_t>(data.features.rows * data.features.row_bytes()) /
                     static_cast<std::uint64_t>(communicator_of(execution).size());
  if (!parts.mapped || share <= available_memory() / 2) data.features.release = nullptr;
  data.feature_norms = scan_features(where, data.features, execution, hash);
  const std::string& place = where.size() == 1 ? where.front() : data.folder;
  FeatureNotes found = feature_notes({place, data.features, data.feature_norms, data.labels,
                                      data.class_names, parts.feature_names});
  data.one_long_column = found.longest.column >= 0;
  for (std::string& note : found.notes) data.notes.push_back(std::move(note));
  expect_whole_features(data);
}

void take_test_seen(Dataset& data, const DatasetParts& parts) {
  if (!parts.test_seen) return;
  data.partition.held_out = parts.test_seen->value;
  for (const Index i : data.partition.held_out)
    if (const Index r = data.labels[static_cast<std::size_t>(i)];
        contains(data.partition.unseen, r))
      throw InputError(
          parts.test_seen->where,
          fmt::format("sample {} is of the unseen class '{}'; expected samples of seen classes", i,
                      name_of(data, r)));
}

/// Whether labels seem to count from 1 though the highest is no error, because the last classes
/// have no sample: the lowest is 1, or all seen classes have samples if 1 is taken from every label.
bool may_count_from_one(const Dataset& data, const DatasetParts& parts,
                        const std::vector<Index>& seen) {
  const std::vector<Index> samples = samples_of_classes(data);
  if (parts.labels_by_name || samples[0] > 0) return false;
  const bool none_without = std::all_of(seen.begin(), seen.end(), [&](Index r) {
    const auto next = static_cast<std::size_t>(r) + 1;
    return next < samples.size() && samples[next] > 0;
  });
  return none_without || (samples[1] > 0 && seen.front() == 0);
}

/// Adds a note for seen classes without samples, which are valid.
void count_training_samples(Dataset& data, const DatasetParts& parts) {
  std::vector<Index> samples(data.class_names.size());
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    if (!contains(data.partition.held_out, static_cast<Index>(i)))
      ++samples[static_cast<std::size_t>(data.labels[i])];

  const std::vector<Index> seen = seen_classes(data, data.partition);
  Listing without;
  Index total = 0;
  for (const Index r : seen) {
    total += samples[static_cast<std::size_t>(r)];
    if (samples[static_cast<std::size_t>(r)] == 0) without.add(name_of(data, r));
  }
  if (total > 0 && without.count() > 0)  // without any, the data set is for evaluation
    data.notes.push_back(
        fmt::format("{} of {} seen classes {} no training sample: {}{}", without.count(),
                    seen.size(), without.count() == 1 ? "has" : "have", without.text(),
                    may_count_from_one(data, parts, seen)
                        ? "; no label is 0: if labels count from 1, save labels - 1"
                        : ""));
}

// Embeddings

void expect_finite(const EmbeddingPart& part, const Dataset& data) {
  if (part.values.cols() == 0)
    throw InputError(part.where, fmt::format("shape is ({}, 0): the embeddings have no length",
                                             part.values.rows()));
  const auto is_valid = [](double value) {
    return std::abs(value) <= std::numeric_limits<float>::max();
  };
  Listing rows;
  Place first;
  for (Index r = 0; r < part.values.rows(); ++r)
    for (Index j = 0; j < part.values.cols(); ++j) {
      if (is_valid(part.values(r, j))) continue;
      if (rows.count() == 0) first = Place{part.where, r, j, name_of(data, r)};
      rows.add(std::to_string(r));
      break;
    }
  if (rows.count() > 0)
    throw InputError(first, fmt::format("is {}", part.values(first.row, first.column)),
                     "finite values within float32" + all_rows(rows));
}

void expect_no_zero_row(const EmbeddingPart& part, const Dataset& data) {
  constexpr double kSmallest = std::numeric_limits<float>::min();
  Listing rows;
  Index first = 0;
  for (Index r = 0; r < part.values.rows(); ++r) {
    if (part.values.row(r).cwiseAbs().maxCoeff() >= kSmallest) continue;
    if (rows.count() == 0) first = r;
    rows.add(std::to_string(r));
  }
  if (rows.count() == 0) return;
  const Place place{part.where, first, -1, name_of(data, first)};
  if (const double largest = part.values.row(first).cwiseAbs().maxCoeff(); largest > 0.0)
    throw InputError(
        place, fmt::format("has values up to {:.2g}, which are zero in float32", largest),
        fmt::format("one of {:.2g} or more for every class", kSmallest) + all_rows(rows));
  throw InputError(place, "is all zero", "an embedding for every class" + all_rows(rows));
}

/// Whether -1 seems to mean "not known": attribute matrices write it among values that are never
/// negative, where it would have the largest weight if used as a number. A matrix that holds only
/// -1 and 1 has no missing values.
bool has_missing_values(const Matrix& values) {
  const auto at = values.array();
  const bool only_signs = (at.abs() == 1.0).all();
  return !only_signs && (at == -1.0 || at >= 0.0).all() && (at == -1.0).any();
}

void replace_missing(EmbeddingPart& part, MissingValues policy, const Dataset& data) {
  const Matrix& unscaled = part.unscaled ? *part.unscaled : part.values;
  if (policy == MissingValues::kKeep || !has_missing_values(unscaled)) return;
  const Matrix missing = (unscaled.array() == -1.0).cast<double>();
  for (Index j = 0; j < missing.cols(); ++j) {
    const double known = static_cast<double>(missing.rows()) - missing.col(j).sum();
    const double mean = (part.values.col(j).array() * (1.0 - missing.col(j).array())).sum() / known;
    for (Index r = 0; r < missing.rows(); ++r) {
      if (missing(r, j) == 0.0) continue;
      const std::string where = fmt::format("row {} ('{}'), column {}", r, name_of(data, r), j);
      if (policy == MissingValues::kRefuse)
        throw InputError(part.where,
                         fmt::format("{} is -1{} while no other value is negative, so "
                                     "it seems to mean \"missing\"; choose what it means "
                                     "by the option missing: mean, zero or keep",
                                     where, part.unscaled ? " before scaling" : ""));
      if (policy == MissingValues::kMean && known == 0)
        throw InputError(part.where, fmt::format("{} is missing, as it is for all classes, so "
                                                 "there is no mean; expected zero or keep for the "
                                                 "option missing",
                                                 where));
      part.values(r, j) = policy == MissingValues::kMean ? mean : 0.0;
    }
  }
}

void note_equal_embeddings(Dataset& data, const std::string& where) {
  std::map<std::string, Index> first;
  Listing pairs;
  for (Index r = 0; r < data.embeddings.rows(); ++r) {
    const Vector row = data.embeddings.row(r);
    const auto bytes = static_cast<std::size_t>(row.size()) * sizeof(double);
    const auto [earlier, is_new] =
        first.emplace(std::string(reinterpret_cast<const char*>(row.data()), bytes), r);
    if (!is_new)
      pairs.add(fmt::format("'{}' and '{}'", name_of(data, earlier->second), name_of(data, r)));
  }
  if (pairs.count() > 0)
    data.notes.push_back(fmt::format(
        "{}: {} of {} classes have the embedding of another class, from which no sample "
        "can tell them: {}",
        where, pairs.count(), data.embeddings.rows(), pairs.text()));
}

/// Embeddings are centred before they are scaled to unit length.
void note_long_column(Dataset& data, const EmbeddingPart& part) {
  const Matrix centred = part.values.rowwise() - part.values.colwise().mean();
  const LongColumn found = long_column(centred);
  if (found.column >= 0)
    data.notes.push_back(
        fmt::format("{}: column {} carries {} % of the squared length of the "
                    "centred embeddings, which are scaled to unit length, so that "
                    "little is left of the others; rescale the columns",
                    part.where, found.column, percent(found.share)));
}

void take_embeddings(Dataset& data, DatasetParts& parts, MissingValues policy) {
  Index d = 0;
  std::vector<std::string> names;
  for (EmbeddingPart& part : parts.embeddings) {
    expect_finite(part, data);
    replace_missing(part, policy, data);
    expect_no_zero_row(part, data);
    d += part.values.cols();
    names.push_back(part.name);
  }
  data.embedding_name = fmt::format("{}", fmt::join(names, ","));
  data.embeddings.resize(static_cast<Index>(data.class_names.size()), d);
  Index begin = 0;
  for (const EmbeddingPart& part : parts.embeddings) {
    data.embeddings.middleCols(begin, part.values.cols()) = part.values;
    if (parts.embeddings.size() > 1) data.embedding_parts.push_back(part.values.cols());
    data.embedding_columns.insert(data.embedding_columns.end(), part.columns.begin(),
                                  part.columns.end());
    begin += part.values.cols();
    note_long_column(data, part);
  }
  note_equal_embeddings(data, parts.embeddings.front().where);
  if (data.embedding_columns.size() != static_cast<std::size_t>(d)) data.embedding_columns.clear();
}

// Divergence

void take_divergence(Dataset& data, const DatasetParts& parts, const std::string& given) {
  if (!given.empty())
    data.divergence = read_divergence_file(given, data.class_names, data.notes);
  else if (parts.divergence)
    data.divergence = checked_divergence(*parts.divergence, data.class_names, data.notes);
}

// Hash

void add_rows(ContentHash& hash, const std::string& part, const std::vector<Index>& rows) {
  hash.begin(part);
  hash.add_number(rows.size());
  for (const Index row : rows) hash.add_number(static_cast<std::uint64_t>(row));
}

void add_matrix(ContentHash& hash, const Matrix& matrix) {
  hash.add_number(static_cast<std::uint64_t>(matrix.rows()));
  hash.add_number(static_cast<std::uint64_t>(matrix.cols()));
  hash.add_bytes(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
}

void add_labels_and_classes(ContentHash& hash, const Dataset& data) {
  hash.begin("labels");
  hash.add_number(data.labels.size());
  hash.add_bytes(data.labels.data(), data.labels.size() * sizeof(data.labels[0]));
  hash.begin("classes");
  hash.add_number(data.class_names.size());
  for (const std::string& name : data.class_names) hash.add_text(name);
}

void add_all_but_features(ContentHash& hash, const Dataset& data) {
  add_labels_and_classes(hash, data);
  hash.begin("embedding");
  hash.add_text(data.embedding_name);
  add_matrix(hash, data.embeddings);
  if (!data.embedding_parts.empty()) add_rows(hash, "embedding parts", data.embedding_parts);
  add_rows(hash, "unseen classes", data.partition.unseen);
  const auto& folds = data.partition.validation_folds;
  add_rows(hash, "validation classes", folds.empty() ? std::vector<Index>() : folds.front());
  for (std::size_t f = 1; f < folds.size(); ++f)
    add_rows(hash, fmt::format("validation classes {}", f + 1), folds[f]);
  add_rows(hash, "test rows of seen classes", data.partition.held_out);
  hash.begin("divergence");
  add_matrix(hash, data.divergence.value_or(Matrix()));
  hash.begin("synsets");
  hash.add_number(data.synsets.size());
  for (const SynsetId id : data.synsets) hash.add_number(id);
}

}  // namespace

const char* const kDatasetHelp = R"(DATA is a folder of
  features.npy    N x m, float16, float32 or float64
    or in parts of consecutive rows: features.part-000.npy, features.part-001.npy, ...
  labels.npy      N whole numbers, rows of classes.txt, from 0; or names of classes
  classes.txt     C names, one per line
  embeddings/NAME.npy   C x d, one or more
  optional: unseen_classes.txt, validation_classes.txt (2, 3, ...), test_seen.npy, divergence.npy,
    and synsets.txt, one WordNet id per class, for the divergence wordnet
or the same with a table, .csv or .tsv, in place of any .npy file except divergence.npy
  features.csv    a column 'class' (names) or 'label' (rows of the classes, from 0); the other
                  columns are features
  embeddings/NAME.csv   a column 'class'; the other columns are the embedding
  labels.csv      one column 'class' or 'label', if features.csv has none
  test_seen.csv   one column 'sample'
or an archive DATA.npz of numpy.savez with the same names as keys
  features, labels, classes (texts), embeddings or embeddings/NAME, unseen_classes (texts), ...
or a folder of MATLAB files, v5 or v7.3, in the format of the benchmark of Xian et al.
  res101.mat      features, labels
  att_splits.mat  att, allclasses_names, trainval_loc, test_seen_loc, test_unseen_loc
  trainclasses1.txt and valclasses1.txt, 2, 3, ...: validation folds
)";

Dataset read_dataset(const std::string& path, const DatasetOptions& options) {
  return assemble_dataset(path, read_parts(path, options), options);
}

Dataset assemble_dataset(const std::string& path, DatasetParts parts,
                         const DatasetOptions& options) {
  Dataset data;
  data.folder = path;
  data.notes = std::move(parts.notes);
  data.class_names = std::move(parts.class_names.value);
  data.labels = std::move(parts.labels.value);
  take_unseen_classes(data, parts);
  take_validation_folds(data, parts);
  data.feature_names = parts.feature_names;
  take_test_seen(data, parts);
  count_training_samples(data, parts);
  take_embeddings(data, parts, options.missing);
  take_divergence(data, parts, options.divergence_file);
  data.synsets = std::move(parts.synsets.value);
  data.synsets_where = std::move(parts.synsets.where);

  ContentHash hash;  // the features come last: all checks that are fast have passed by now
  add_all_but_features(hash, data);
  take_features(data, parts, options.execution, hash);
  data.hash = hash.digest();
  return data;
}

void expect_whole_features(const Dataset& data) {
  for (const FileState& file : data.mapped_files) file.expect_kept();
}

const std::map<std::string, MissingValues>& missing_value_words() {
  static const std::map<std::string, MissingValues> words = {{"refuse", MissingValues::kRefuse},
                                                             {"mean", MissingValues::kMean},
                                                             {"zero", MissingValues::kZero},
                                                             {"keep", MissingValues::kKeep}};
  return words;
}

std::vector<Index> seen_classes(const Dataset& data, const Partition& partition) {
  std::vector<Index> seen;
  for (Index c = 0; c < static_cast<Index>(data.class_names.size()); ++c)
    if (!contains(partition.unseen, c)) seen.push_back(c);
  return seen;
}

Split split_of(const Dataset& data) {
  Split split;
  split.unseen_classes = data.partition.unseen.size();
  split.seen_classes = data.class_names.size() - split.unseen_classes;
  split.test_seen_samples = data.partition.held_out.size();
  split.unseen_samples = static_cast<std::size_t>(
      std::count_if(data.labels.begin(), data.labels.end(),
                    [&](std::int32_t r) { return contains(data.partition.unseen, r); }));
  split.training_samples = data.labels.size() - split.test_seen_samples - split.unseen_samples;

  ContentHash hash;
  add_labels_and_classes(hash, data);
  add_rows(hash, "unseen classes", data.partition.unseen);
  add_rows(hash, "test rows of seen classes", data.partition.held_out);
  split.hash = hash.digest();
  return split;
}

std::string describe(const Split& split) {
  return fmt::format(
      "split {}: {} seen and {} unseen classes; samples: {} to train on, {} held out of seen "
      "classes, {} of unseen classes",
      hexadecimal(split.hash), split.seen_classes, split.unseen_classes, split.training_samples,
      split.test_seen_samples, split.unseen_samples);
}

}  // namespace bzscr
