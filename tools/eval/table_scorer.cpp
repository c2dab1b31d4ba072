#include "eval/table_scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace bzscr::cli {
namespace {

const std::string& name_of(const train::Dataset& data, std::int64_t r) {
  return data.classes()[static_cast<std::size_t>(r)];
}

bzscr_rt_config room_for(const ModelDescription& model, const train::Dataset& data,
                         const train::Selection& selection, bzscr_rt_storage storage,
                         bool teachable) {
  std::size_t longest = std::max<std::size_t>(model.longest_name(), 31);
  for (const std::int64_t r : selection.classes)
    longest = std::max(longest, name_of(data, r).size());
  bzscr_rt_config config{};
  config.class_capacity =
      static_cast<std::uint32_t>(std::max(model.classes.size(), selection.classes.size()));
  config.name_bytes = static_cast<std::uint32_t>(longest + 1);
  config.storage = storage;
  config.teachable = teachable;
  return config;
}

}  // namespace

TableScorer::TableScorer(const ModelFile& file, const ModelDescription& model,
                         const train::Dataset& data, const train::Selection& selection,
                         Embeddings embeddings, bzscr_rt_storage storage, bool teachable)
    : scorer_(file.open(room_for(model, data, selection, storage, teachable))),
      data_path_(data.path()),
      features_(model.features) {
  fill(file, model, data, selection, embeddings);
}

void TableScorer::set_class(std::uint32_t id, const std::string& name,
                            const std::vector<float>& embedding) {
  try {
    scorer_.set_class(id, name, embedding);
  } catch (const Error& error) {
    throw InputError(fmt::format("class '{}'", name), error.what());
  }
}

void TableScorer::fill(const ModelFile& file, const ModelDescription& model,
                       const train::Dataset& data, const train::Selection& selection,
                       Embeddings embeddings) {
  std::unordered_map<std::string, std::size_t> wanted;
  for (std::size_t place = 0; place < selection.classes.size(); ++place)
    wanted.emplace(name_of(data, selection.classes[place]), place);
  std::set<std::uint32_t> used;
  std::unordered_map<std::uint32_t, std::size_t> place_of_id;
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    const ModelClass& one = model.classes[i];
    used.insert(one.id);
    const auto found = wanted.find(one.name);
    if (found == wanted.end()) {
      scorer_.remove_class(one.id);
      continue;
    }
    place_of_id.emplace(one.id, found->second);
    if (one.seen) trained_.push_back(one.name);
    const std::vector<float> embedding = data.class_embedding(selection.classes[found->second]);
    if (embedding != file.class_embedding(i)) {
      changed_.push_back(one.name);
      if (embeddings == Embeddings::kOfData) set_class(one.id, one.name, embedding);
    }
    wanted.erase(found);
  }
  std::uint32_t id = 0;
  for (std::size_t place = 0; place < selection.classes.size(); ++place) {
    const std::string& name = name_of(data, selection.classes[place]);
    if (wanted.count(name) == 0) continue;
    while (!used.insert(id).second) ++id;
    set_class(id, name, data.class_embedding(selection.classes[place]));
    place_of_id.emplace(id, place);
    added_.push_back(name);
  }
  for (std::uint32_t index = 0; index < scorer_.class_count(); ++index)
    place_.push_back(place_of_id.at(scorer_.class_id(index)));
  ids_.resize(selection.classes.size());
  for (const auto& [each, place] : place_of_id) ids_[place] = each;
}

void TableScorer::refuse(std::int64_t row, bzscr_rt_status status) const {
  throw InputError(data_path_,
                   fmt::format("features, row {}: {}", row, bzscr_rt_status_text(status)));
}

void TableScorer::score(const float* X, std::int64_t n, std::int64_t row, float* scores) const {
  const Memory scratch(scorer_.scratch_bytes());
  const std::size_t C = place_.size();
  std::vector<float> in_table(C);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    std::size_t count = 0;
    const bzscr_rt_status status = bzscr_rt_score(
        scorer_.handle(), X + i * features_, scratch.data(), C, in_table.data(), nullptr, &count);
    if (status != BZSCR_RT_OK) refuse(row + static_cast<std::int64_t>(i), status);
    for (std::size_t index = 0; index < C; ++index) scores[i * C + place_[index]] = in_table[index];
  }
}

void TableScorer::teach(std::int64_t place, const float* x, std::int64_t row) {
  const std::uint32_t id = ids_[static_cast<std::size_t>(place)];
  const bzscr_rt_status status = bzscr_rt_teach(scorer_.handle(), id, x, 1);
  if (status != BZSCR_RT_OK) refuse(row, status);
}

void TableScorer::forget() {
  for (const std::uint32_t id : ids_) scorer_.forget(id);
}

}  // namespace bzscr::cli
