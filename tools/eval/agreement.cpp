#include "eval/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

namespace bzscr::cli {
namespace {

constexpr const char* kOwnFile = "divergence.npy";  // the data set's own, whatever its format

bool is_word(const std::string& divergence) {
  return divergence.empty() || divergence == "cosine" || divergence == "wordnet" ||
         divergence == "zero-one";
}

[[noreturn]] void ask_for_divergence(const ModelFile& file, const std::string& recorded) {
  throw InputError(
      file.path(),
      fmt::format("was trained with the divergence of {}; name the file with --divergence FILE.npy",
                  recorded));
}

/// Columns with names are told apart by them: the same length in another order would be scored
/// without any error.
/// \param what  "feature"
void expect_same_columns(const ModelFile& file, const train::Dataset& data, const char* what,
                         const std::vector<std::string>& trained,
                         const std::vector<std::string>& given) {
  if (trained.empty() || given.empty()) return;  // an array has no names
  const auto refuse = [&](const std::string& found) {
    throw InputError(file.path(), fmt::format("{}; expected the columns of {} in the order of the "
                                              "training data",
                                              found, data.path()));
  };
  const std::set<std::string> in_model(trained.begin(), trained.end()),
      in_data(given.begin(), given.end());
  for (const std::string& name : trained)
    if (in_data.count(name) == 0)
      refuse(fmt::format("was trained with a {} '{}', which {} does not have", what, name,
                         data.path()));
  for (const std::string& name : given)
    if (in_model.count(name) == 0)
      refuse(fmt::format("was trained without a {} '{}', which {} has", what, name, data.path()));
  for (std::size_t j = 0; j < trained.size(); ++j)
    if (trained[j] != given[j])
      refuse(fmt::format("was trained with '{}' as {} {}, which is '{}' in {}", trained[j], what, j,
                         given[j], data.path()));
}

}  // namespace

train::ReadOptions reading_for(const ModelFile& file, const ModelDescription& model,
                               train::ReadOptions asked, bool needs_divergence) {
  const TrainingRecord record = model.record();
  if (asked.embedding.empty()) asked.embedding = record.embedding;
  if (!asked.divergence.empty() || !needs_divergence) return asked;
  if (is_word(record.divergence))
    asked.divergence = record.divergence.empty() ? "cosine" : record.divergence;
  else if (record.divergence != kOwnFile)
    ask_for_divergence(file, record.divergence);
  return asked;
}

void expect_agreement(const ModelFile& file, const ModelDescription& model,
                      const train::Dataset& data, const train::ReadOptions& asked,
                      bool needs_divergence) {
  const TrainingRecord record = model.record();
  const std::string& embedding = record.embedding;
  expect_same_columns(file, data, "feature", record.feature_names, data.feature_names());
  if (embedding == data.embedding())
    expect_same_columns(file, data, "embedding column", record.embedding_columns,
                        data.embedding_columns());
  if (model.features != data.features())
    throw InputError(file.path(),
                     fmt::format("is for features of length {}, but those of {} have length {}",
                                 model.features, data.path(), data.features()));
  if (model.embedding_dimension != data.embedding_dimension())
    throw InputError(file.path(),
                     fmt::format("is for embeddings of length {}{}, but '{}' of {} has length {}",
                                 model.embedding_dimension,
                                 embedding.empty() ? "" : fmt::format(" ('{}')", embedding),
                                 data.embedding(), data.path(), data.embedding_dimension()));
  std::vector<std::int64_t> parts(model.embedding_parts.begin(), model.embedding_parts.end());
  if (parts.size() == 1) parts.clear();
  if (model.embedding_scaling != BZSCR_RT_SCALING_NONE && parts != data.embedding_parts())
    throw InputError(
        file.path(),
        fmt::format("is for embeddings joined from lengths [{}], but '{}' of {} is joined from "
                    "[{}]; expected the same embeddings in the same order",
                    fmt::join(parts, ", "), data.embedding(), data.path(),
                    fmt::join(data.embedding_parts(), ", ")));
  const bool trained_with_file = asked.divergence.empty() && !is_word(model.record().divergence);
  if (needs_divergence && trained_with_file && data.divergence() != kOwnFile)
    ask_for_divergence(file, model.record().divergence);
}

std::string split_difference(const ModelDescription& model, const train::Dataset& data,
                             const train::Partition& partition) {
  const std::vector<std::int64_t>& unseen = partition.unseen;
  std::set<std::string> trained;
  for (const ModelClass& one : model.classes)
    if (one.seen) trained.insert(one.name);
  for (std::size_t r = 0; r < data.classes().size(); ++r) {
    const std::string& name = data.classes()[r];
    const bool seen =
        !std::binary_search(unseen.begin(), unseen.end(), static_cast<std::int64_t>(r));
    if (seen != (trained.count(name) > 0))
      return fmt::format("'{}' is {} the model, but {} class of {}", name,
                         seen ? "no seen class of" : "a seen class of",
                         seen ? "a seen" : "an unseen", data.path());
  }
  return "";
}

void expect_same_split(const ModelFile& file, const ModelDescription& model,
                       const train::Dataset& data, const train::Partition& partition) {
  if (const std::string difference = split_difference(model, data, partition); !difference.empty())
    throw InputError(file.path(), difference + "; expected a model that was trained on this split");
}

}  // namespace bzscr::cli
