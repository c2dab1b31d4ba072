#include "data/vectors/name_vectors.h"

#include <bzscr_train/error.hpp>
#include "base/spelling.h"
#include "data/wordnet/name_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

namespace bzscr {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// A name or one word of a name, and the best match in the file.
struct Wanted {
  std::vector<std::string> spellings;  // in order of preference, then those that differ in case
  std::size_t rank = kNone;            // of the match among the spellings
  std::string found;                   // the match, as spelled in the file
  VectorF vector;

  std::string nearest;  // nearest word of the file, for the hint on a typo
  std::size_t nearest_edits = kNone;

  bool is_found() const { return rank != kNone; }
};

/// A name without the number before it: "Black_footed_Albatross" for "001.Black_footed_Albatross",
/// as CUB and Caltech-256 name their classes. The name itself if it has none.
std::string without_number(const std::string& name) {
  const std::size_t dot = name.find_first_not_of("0123456789");
  const bool numbered = dot != 0 && dot != std::string::npos && name[dot] == '.';
  return numbered && dot + 1 < name.size() ? name.substr(dot + 1) : name;
}

/// A word as names spell it: ConceptNet writes "/c/en/polar_bear".
std::string plain_word(std::string_view word) {
  constexpr std::string_view kEnglish = "/c/en/";
  if (word.size() > kEnglish.size() && word.substr(0, kEnglish.size()) == kEnglish)
    word.remove_prefix(kEnglish.size());
  return std::string(word);
}

/// The names to find, and the matches so far.
class Search {
 public:
  explicit Search(const std::vector<std::string>& names) : names_(names) {
    for (const std::string& name : names) {
      const std::string plain = without_number(name);
      const std::vector<std::string> words = words_of(plain);
      Parts parts;
      std::vector<std::string> spellings = {name};
      if (plain != name) spellings.push_back(plain);
      if (words.size() > 1)
        spellings.insert(spellings.end(), {fmt::format("{}", fmt::join(words, "_")),
                                           fmt::format("{}", fmt::join(words, "-"))});
      parts.whole = want(spellings);
      if (spellings == words || words.empty())
        parts.words = {parts.whole};
      else
        for (const std::string& word : words) parts.words.push_back(want({word}));
      for (const std::size_t word : parts.words)
        by_first_letter_[first_letter(wanted_[word].spellings.front())].push_back(word);
      parts_.push_back(std::move(parts));
    }
  }

  void visit(const WordVectorFile& file) {
    const std::string word = plain_word(file.word());
    const auto places = by_folded_.find(folded_name(word));
    if (places != by_folded_.end())
      for (const std::size_t place : places->second) keep_if_better(wanted_[place], word, file);
    for (const std::size_t place : by_first_letter_[first_letter(word)])
      keep_if_nearer(wanted_[place], word);
  }

  /// The matches for a name: that of the whole name, or those of its words; empty if neither was
  /// found.
  std::vector<const Wanted*> made_of(std::size_t name) const {
    const Parts& parts = parts_[name];
    if (wanted_[parts.whole].is_found()) return {&wanted_[parts.whole]};
    std::vector<const Wanted*> words;
    for (const std::size_t word : parts.words) words.push_back(&wanted_[word]);
    const bool all = std::all_of(words.begin(), words.end(),
                                 [](const Wanted* word) { return word->is_found(); });
    return all ? words : std::vector<const Wanted*>();
  }

  /// "polar baer: no 'baer' (did you mean 'bear'?)"
  std::string explain_missing(std::size_t name) const {
    std::vector<std::string> missing;
    for (const std::size_t word : parts_[name].words) {
      const Wanted& wanted = wanted_[word];
      if (wanted.is_found()) continue;
      const std::string hint =
          wanted.nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", wanted.nearest);
      missing.push_back(fmt::format("'{}'{}", wanted.spellings.front(), hint));
    }
    return fmt::format("{}: no {}", names_[name], fmt::join(missing, ", "));
  }

 private:
  struct Parts {
    std::size_t whole = 0;
    std::vector<std::size_t> words;  // the whole name again if it is one word
  };

  static unsigned char first_letter(const std::string& word) {
    const std::string folded = folded_name(word.substr(0, 1));
    return folded.empty() ? 0 : static_cast<unsigned char>(folded[0]);
  }

  std::size_t want(const std::vector<std::string>& spellings) {
    for (const std::string& spelling : spellings) {
      std::vector<std::size_t>& places = by_folded_[folded_name(spelling)];
      if (places.empty() || places.back() != wanted_.size()) places.push_back(wanted_.size());
    }
    wanted_.emplace_back();
    wanted_.back().spellings = spellings;
    return wanted_.size() - 1;
  }

  static void keep_if_better(Wanted& wanted, const std::string& word, const WordVectorFile& file) {
    const auto exact = std::find(wanted.spellings.begin(), wanted.spellings.end(), word);
    const auto rank = static_cast<std::size_t>(exact - wanted.spellings.begin());
    if (rank >= wanted.rank) return;
    wanted.rank = rank;
    wanted.found = std::string(file.word());
    wanted.vector = file.vector();
  }

  static void keep_if_nearer(Wanted& wanted, const std::string& word) {
    if (wanted.is_found()) return;
    const std::string& sought = wanted.spellings.front();
    const std::size_t most =
        std::min(std::max<std::size_t>(1, sought.size() / 4), wanted.nearest_edits - 1);
    if (word.size() > sought.size() + most || word.size() + most < sought.size() ||
        sought.size() < 3)
      return;
    const std::size_t distance = edits(sought, word);
    if (distance > most) return;
    wanted.nearest = word;
    wanted.nearest_edits = distance;
  }

  const std::vector<std::string>& names_;
  std::vector<Parts> parts_;  // of each name
  std::vector<Wanted> wanted_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_folded_;
  std::array<std::vector<std::size_t>, 256> by_first_letter_;
};

void refuse_missing(const Search& search, const std::vector<std::string>& names,
                    const std::string& path) {
  constexpr std::size_t kShown = 200;
  std::string missing;
  std::size_t count = 0;
  for (std::size_t name = 0; name < names.size(); ++name)
    if (search.made_of(name).empty() && ++count <= kShown)
      missing += "\n" + search.explain_missing(name);
  if (count > kShown) missing += fmt::format("\nand {} more", count - kShown);
  if (count > 0)
    throw InputError(path, fmt::format("has no vector for {} of {} names; expected the whole name "
                                       "or each of its words to be in the file: replace "
                                       "these names{}",
                                       count, names.size(), missing));
}

Vector mean_of(const std::vector<const Wanted*>& parts) {
  Vector sum = parts.front()->vector.cast<double>();
  for (std::size_t i = 1; i < parts.size(); ++i) sum += parts[i]->vector.cast<double>();
  return sum / static_cast<double>(parts.size());
}

}  // namespace

NameVectors find_name_vectors(const std::vector<std::string>& names, WordVectorFile& file,
                              const std::function<void(double)>& progress) {
  constexpr std::uint64_t kRowsBetweenProgress = 1024;
  Search search(names);
  while (file.next()) {
    search.visit(file);
    if (file.words() % kRowsBetweenProgress == 0) progress(file.fraction());
  }
  refuse_missing(search, names, file.path());

  NameVectors result;
  result.vectors.resize(static_cast<Index>(names.size()), file.dimension());
  for (std::size_t name = 0; name < names.size(); ++name) {
    const std::vector<const Wanted*> parts = search.made_of(name);
    std::vector<std::string> used;
    for (const Wanted* part : parts) used.push_back(part->found);
    const auto row = static_cast<Index>(name);
    result.vectors.row(row) = mean_of(parts).cast<float>().transpose();
    if (result.vectors.row(row).cwiseAbs().maxCoeff() < std::numeric_limits<float>::min())
      throw InputError(
          file.path(),
          fmt::format(
              "the embedding of '{}', from {}, is all zero{}; every class needs a nonzero one",
              names[name], fmt::join(used, ", "), mean_of(parts).isZero(0.0) ? "" : " in float32"));
    result.used.push_back(std::move(used));
  }
  return result;
}

}  // namespace bzscr
