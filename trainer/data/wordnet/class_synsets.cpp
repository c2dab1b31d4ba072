#include "data/wordnet/class_synsets.h"

#include <bzscr_train/error.hpp>
#include "data/formats/listing.h"

#include <fmt/format.h>

#include <unordered_map>

namespace bzscr {
namespace {

void check_known(const Dataset& data, const WordNetNouns& nouns) {
  for (std::size_t r = 0; r < data.synsets.size(); ++r)
    if (!nouns.has(data.synsets[r]))
      throw InputError(
          data.synsets_where,
          fmt::format("id {}: no synset {} ('{}') is in {}; expected ids of WordNet 3.0", r + 1,
                      synset_text(data.synsets[r]), data.class_names[r], nouns.path()));
}

/// Lists all senses of every class. With the wrong lines deleted it is a valid synsets.txt.
std::string listing(const Dataset& data, const std::vector<std::vector<SynsetId>>& senses,
                    const NounIndex& index, const WordNetNouns& nouns) {
  std::string text;
  for (std::size_t r = 0; r < senses.size(); ++r) {
    const std::string& name = data.class_names[r];
    for (const SynsetId id : senses[r])
      text += fmt::format("\n{} {}: {}", synset_text(id), name, nouns.synset(id).definition);
    if (senses[r].empty())
      text += fmt::format("\n? {}: no noun of WordNet{}", name, index.did_you_mean(name));
  }
  return text;
}

std::vector<SynsetId> synsets_by_name(const Dataset& data, const WordNetNouns& nouns,
                                      std::vector<std::string>& notes) {
  const NounIndex index(nouns.folder());
  std::vector<std::vector<SynsetId>> senses;
  std::size_t unclear = 0;
  for (const std::string& name : data.class_names) {
    senses.push_back(index.senses(name));
    if (senses.back().size() != 1) ++unclear;
  }
  if (unclear > 0)
    throw InputError(data.folder,
                     fmt::format("{} of {} class names do not have exactly one sense in WordNet; "
                                 "expected {}, with the id of each class: keep the "
                                 "right one of these lines for every class{}",
                                 unclear, senses.size(), data.synsets_where,
                                 listing(data, senses, index, nouns)));

  constexpr std::size_t kShown = 20;
  std::vector<SynsetId> synsets;
  for (std::size_t r = 0; r < senses.size(); ++r) {
    synsets.push_back(senses[r].front());
    if (r == kShown)
      notes.push_back(fmt::format("{} more names are mapped to their only sense in WordNet",
                                  senses.size() - kShown));
    if (r >= kShown) continue;
    notes.push_back(fmt::format("'{}' is mapped to {} of WordNet: {}", data.class_names[r],
                                synset_text(synsets[r]), nouns.synset(synsets[r]).definition));
  }
  return synsets;
}

void note_shared(const Dataset& data, const std::vector<SynsetId>& synsets,
                 std::vector<std::string>& notes) {
  std::unordered_map<SynsetId, std::size_t> first;
  Listing pairs;
  for (std::size_t r = 0; r < synsets.size(); ++r) {
    const auto [earlier, is_new] = first.emplace(synsets[r], r);
    if (!is_new)
      pairs.add(fmt::format("'{}' and '{}' are both {}", data.class_names[earlier->second],
                            data.class_names[r], synset_text(synsets[r])));
  }
  if (pairs.count() > 0)
    notes.push_back(fmt::format("{}, so their WordNet divergence is 0", pairs.text()));
}

}  // namespace

std::vector<SynsetId> class_synsets(const Dataset& data, const WordNetNouns& nouns,
                                    std::vector<std::string>& notes) {
  check_known(data, nouns);
  const std::vector<SynsetId> synsets =
      data.synsets.empty() ? synsets_by_name(data, nouns, notes) : data.synsets;
  note_shared(data, synsets, notes);
  return synsets;
}

}  // namespace bzscr
