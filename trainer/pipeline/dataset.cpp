#include "pipeline/dataset.h"

#include "base/hexadecimal.h"
#include "base/spelling.h"
#include "core/blas.h"
#include "data/dataset_parts.h"
#include "data/dataset_writer.h"
#include "data/formats/class_files.h"
#include "pipeline/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace bzscr::train {
namespace {

MissingValues missing_values(const std::string& word) {
  const auto& words = missing_value_words();
  const auto found = words.find(word);
  if (found != words.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& each : words) known.push_back(each.first);
  Place place;
  place.option = "missing";
  throw InputError(place, fmt::format("is '{}'", word),
                   fmt::format("{}{}", fmt::join(known, ", "), did_you_mean(word, known)));
}

void check_divergence_word(const std::string& asked) {
  const std::string file = divergence_file(asked);
  const bool is_npy = file.size() > 4 && file.compare(file.size() - 4, 4, ".npy") == 0;
  if (file.empty() || is_npy) return;
  Place place;
  place.option = "divergence";
  throw InputError(place, fmt::format("is '{}'", asked),
                   fmt::format("{} or a .npy file{}", fmt::join(divergence_words(), ", "),
                               did_you_mean(asked, divergence_words())));
}

DatasetOptions reading(const ReadOptions& options, const Context& context) {
  check_divergence_word(options.divergence);
  reserve_blas_buffers(1);  // for the divergence
  DatasetOptions reading;
  reading.embedding = options.embedding;
  reading.divergence_file = divergence_file(options.divergence);
  reading.missing = missing_values(options.missing);
  reading.all_embeddings = options.all_embeddings;
  reading.execution = execution_of(context);
  return reading;
}

Dataset shared(bzscr::Dataset data, const ReadOptions& options) {
  auto content = std::make_shared<Dataset::Content>();
  content->divergence = divergence_of(data, options.divergence, options.wordnet);
  content->missing = options.missing;
  content->wordnet = options.wordnet;
  content->asked_divergence = options.divergence;
  content->notes = data.notes;
  content->notes.insert(content->notes.end(), content->divergence.notes.begin(),
                        content->divergence.notes.end());
  // write() stores the requested divergence with the data.
  if (!options.divergence.empty()) data.divergence = content->divergence.Delta;
  content->data = std::move(data);
  return Dataset(std::move(content));
}

// Arrays

NpyType npy_type(Type type) {
  return type == Type::kFloat16   ? NpyType::kFloat16
         : type == Type::kFloat32 ? NpyType::kFloat32
                                  : NpyType::kFloat64;
}

constexpr Index kMostBytes = Index{1} << 62;

NumberArray number_array(const std::string& where, const ArrayView& view) {
  const std::size_t size = bytes_of(npy_type(view.type));
  if (view.rows < 0 || view.columns < 0 ||
      (view.rows > 0 && view.columns > 0 && view.data == nullptr))
    throw InputError(where, "has no data, or a negative size");
  if (view.columns > 0 && view.rows > kMostBytes / static_cast<Index>(size) / view.columns)
    throw InputError(where, fmt::format("has {} x {} values; expected fewer than 2^62 bytes",
                                        view.rows, view.columns));
  if (reinterpret_cast<std::uintptr_t>(view.data) % size != 0)
    throw InputError(where, fmt::format("is not aligned to {} bytes; expected aligned values, "
                                        "because they are not copied",
                                        size));
  NpyHeader header;
  header.type = npy_type(view.type);
  header.column_major = view.column_major;
  header.shape = {view.rows, view.columns};
  header.data_bytes = static_cast<std::size_t>(view.rows * view.columns) * size;
  return NumberArray(where, header, static_cast<const std::uint8_t*>(view.data), nullptr);
}

std::vector<PlacedName> placed(const std::vector<std::string>& names, const std::string& where) {
  std::vector<PlacedName> placed;
  for (const std::string& name : names)
    placed.push_back(
        {name, fmt::format("{}, entry {}", where, placed.size()), "entry", placed.size()});
  return placed;
}

DatasetParts parts_of(const Arrays& arrays, const std::string& name,
                      const DatasetOptions& options) {
  const auto where = [&](const std::string& member) { return name + ": " + member; };
  DatasetParts parts;
  parts.mapped = false;
  std::vector<PlacedName> names = placed(arrays.classes, where("classes"));
  check_class_names(names);
  parts.class_names = at_least_two({names_of(names), where("classes"), "classes"});
  const ClassRows rows(parts.class_names.value, "classes");
  const auto C = static_cast<Index>(arrays.classes.size());

  const auto list = [&](const std::vector<std::string>& classes, const std::string& member) {
    return Part<std::vector<Index>>{class_list(placed(classes, where(member)), rows), where(member),
                                    member};
  };
  if (!arrays.unseen_classes.empty())
    parts.unseen_classes = list(arrays.unseen_classes, "unseen_classes");
  for (const auto& fold : arrays.validation_folds)
    parts.validation_folds.push_back(list(fold, "validation_folds"));
  parts.labels = {class_rows({arrays.labels, where("labels"), "labels"}, 0, parts.class_names),
                  where("labels"), "labels"};
  if (!arrays.held_out.empty())
    parts.test_seen = {sample_rows({arrays.held_out, where("held_out"), "held_out"}, 0,
                                   arrays.labels.size(), "features"),
                       where("held_out"), "held_out"};

  std::vector<std::string> available;
  for (const NamedArray& one : arrays.embeddings) available.push_back(one.name);
  if (available.empty()) throw InputError(where("embeddings"), "is empty; expected at least one");
  for (const std::string& wanted : choose_embeddings(name, available, options))
    for (const NamedArray& one : arrays.embeddings) {
      if (one.name != wanted) continue;
      const NumberArray array = number_array(where("embeddings/" + wanted), one.values);
      expect_rows(array, C, fmt::format("classes has {} names", C), fmt::format("({}, d)", C));
      parts.embeddings.push_back({wanted, array.where(), array.matrix()});
      break;
    }
  parts.synsets = {{}, where("synsets"), "synsets"};
  parts.read_features = [features = arrays.features, at = where("features")] {
    return std::vector<NumberArray>{number_array(at, features)};
  };
  return parts;
}

}  // namespace

Dataset Dataset::read(const std::string& path, const ReadOptions& options, const Context& context) {
  return shared(read_dataset(path, reading(options, context)), options);
}

Dataset Dataset::from_arrays(const Arrays& arrays, const std::string& name,
                             const ReadOptions& options, const Context& context) {
  const DatasetOptions read = reading(options, context);
  return shared(assemble_dataset(name, parts_of(arrays, name, read), read), options);
}

const std::string& Dataset::path() const { return content_->data.folder; }
std::int64_t Dataset::samples() const { return content_->data.features.rows; }
std::int64_t Dataset::features() const { return content_->data.features.columns; }
Type Dataset::feature_type() const { return static_cast<Type>(content_->data.features.storage); }
const std::vector<std::string>& Dataset::classes() const { return content_->data.class_names; }
std::vector<std::int32_t> Dataset::labels() const { return content_->data.labels; }
std::string Dataset::embedding() const { return content_->data.embedding_name; }
std::int64_t Dataset::embedding_dimension() const { return content_->data.embeddings.cols(); }
std::vector<std::int64_t> Dataset::embedding_parts() const {
  return {content_->data.embedding_parts.begin(), content_->data.embedding_parts.end()};
}
const std::vector<std::string>& Dataset::feature_names() const {
  return content_->data.feature_names;
}
const std::vector<std::string>& Dataset::embedding_columns() const {
  return content_->data.embedding_columns;
}
std::vector<float> Dataset::class_embedding(std::int64_t row) const {
  const auto C = static_cast<std::int64_t>(classes().size());
  if (row < 0 || row >= C)
    throw InputError("class", fmt::format("is {}; expected 0 to {}", row, C - 1));
  const VectorF phi = content_->data.embeddings.row(row).cast<float>();
  return {phi.begin(), phi.end()};
}
std::string Dataset::divergence() const { return content_->divergence.name; }
std::string Dataset::hash() const { return hexadecimal(content_->data.hash); }
const std::vector<std::string>& Dataset::notes() const { return content_->notes; }

Partition Dataset::partition() const { return public_partition(content_->data.partition); }

SplitSummary Dataset::split() const {
  const Split split = split_of(content_->data);
  return {split.seen_classes,      split.unseen_classes, split.training_samples,
          split.test_seen_samples, split.unseen_samples, hexadecimal(split.hash),
          describe(split)};
}

void Dataset::write(const std::string& folder, bool replace) const {
  write_dataset(content_->data, folder, replace);
}

void expect_writable_dataset(const std::string& folder, bool replace) {
  expect_free_for_dataset(folder, replace);
}

const char* dataset_help() { return kDatasetHelp; }

// Partitions

namespace {

void expect_rising(const std::string& what, const std::vector<std::int64_t>& rows,
                   std::int64_t end) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= end || (i > 0 && rows[i] <= rows[i - 1]))
      throw InputError("partition",
                       fmt::format("{}, entry {} is {}; expected ascending numbers from 0 to {}",
                                   what, i, rows[i], end - 1));
}

}  // namespace

bzscr::Partition checked_partition(const Dataset& data, const Partition& partition) {
  const auto C = static_cast<std::int64_t>(data.classes().size());
  expect_rising("unseen", partition.unseen, C);
  expect_rising("held_out", partition.held_out, data.samples());
  const auto unseen = [&](std::int64_t r) {
    return std::binary_search(partition.unseen.begin(), partition.unseen.end(), r);
  };
  for (const auto& fold : partition.validation_folds) {
    expect_rising("validation_folds", fold, C);
    for (const std::int64_t r : fold)
      if (unseen(r))
        throw InputError("partition", fmt::format("class {} is both unseen and a validation class; "
                                                  "expected seen validation classes",
                                                  r));
  }
  for (const std::int64_t i : partition.held_out)
    if (unseen(data.content().data.labels[static_cast<std::size_t>(i)]))
      throw InputError("partition",
                       fmt::format("held-out sample {} is of an unseen class; expected "
                                   "samples of seen classes",
                                   i));
  bzscr::Partition checked;
  checked.unseen.assign(partition.unseen.begin(), partition.unseen.end());
  checked.held_out.assign(partition.held_out.begin(), partition.held_out.end());
  for (const auto& fold : partition.validation_folds)
    checked.validation_folds.emplace_back(fold.begin(), fold.end());
  return checked;
}

bzscr::Partition training_partition(const Dataset& data, const Partition& partition) {
  bzscr::Partition checked = checked_partition(data, partition);
  const auto C = static_cast<std::int64_t>(data.classes().size());
  const auto seen = C - static_cast<std::int64_t>(checked.unseen.size());
  const auto refuse = [&](const std::string& found) {
    throw InputError(data.path(), found + "; expected at least 2 to train on");
  };
  if (seen < 2) refuse(fmt::format("has {} seen of {} classes", seen, C));
  for (std::size_t f = 0; f < checked.validation_folds.size(); ++f) {
    const auto left = seen - static_cast<std::int64_t>(checked.validation_folds[f].size());
    if (left < 2)
      refuse(fmt::format("has {} seen class{} outside validation fold {}", left,
                         left == 1 ? "" : "es", f + 1));
  }
  const Labels& labels = data.content().data.labels;
  const auto unseen = std::count_if(labels.begin(), labels.end(), [&](std::int32_t r) {
    return std::binary_search(checked.unseen.begin(), checked.unseen.end(), r);
  });
  if (static_cast<std::size_t>(unseen) + checked.held_out.size() == labels.size())
    throw InputError(data.path(),
                     "has no sample to train on: all are of unseen classes or held out; expected "
                     "samples of seen classes");
  return checked;
}

Partition public_partition(const bzscr::Partition& partition) {
  Partition out;
  out.unseen.assign(partition.unseen.begin(), partition.unseen.end());
  out.held_out.assign(partition.held_out.begin(), partition.held_out.end());
  for (const auto& fold : partition.validation_folds)
    out.validation_folds.emplace_back(fold.begin(), fold.end());
  return out;
}

}  // namespace bzscr::train
