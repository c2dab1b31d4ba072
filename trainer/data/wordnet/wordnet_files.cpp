#include "data/wordnet/wordnet_files.h"

#include <bzscr_train/error.hpp>
#include "base/spelling.h"
#include "data/wordnet/name_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace bzscr {
namespace {

constexpr const char* kDebianFolder = "/usr/share/wordnet";

std::string database_file(const std::string& folder, const char* name) {
  std::string path = (std::filesystem::path(folder) / name).string();
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(path,
                     "no such file; expected the database of WordNet 3.0: install the package "
                     "wordnet-base, or give its folder by the option wordnet");
  return path;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// Reads the fields of a line in order. They are separated by single blanks.
class Fields {
 public:
  Fields(const std::string& where, std::string_view line) : where_(where), rest_(line) {}

  std::string_view next(const char* what) {
    const auto end =
        static_cast<std::size_t>(std::find(rest_.begin(), rest_.end(), ' ') - rest_.begin());
    const std::string_view field = rest_.substr(0, end);
    if (field.empty())
      throw InputError(where_, fmt::format("the line ends early; expected {}", what));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return field;
  }

  std::uint32_t number(const char* what, int base = 10) {
    const std::string_view field = next(what);
    std::uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(field.data(), field.data() + field.size(), value, base);
    if (error != std::errc() || end != field.data() + field.size())
      throw InputError(where_, fmt::format("'{}' is not a number; expected {}", field, what));
    return value;
  }

 private:
  const std::string& where_;
  std::string_view rest_;
};

/// The definition of a gloss, which may be followed by examples in quotes.
std::string definition_in(std::string_view gloss) {
  gloss = gloss.substr(0, gloss.find("; \""));
  const std::size_t first = gloss.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(gloss.substr(first, gloss.find_last_not_of(' ') - first + 1));
}

}  // namespace

std::string wordnet_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* const set = std::getenv("WNSEARCHDIR");
  return set != nullptr && *set != '\0' ? set : kDebianFolder;
}

WordNetNouns::WordNetNouns(const std::string& folder)
    : folder_(folder), path_(database_file(folder, "data.noun")), file_(path_) {}

bool WordNetNouns::has(SynsetId id) const {
  const std::string_view text = file_.text();
  return id < text.size() && (id == 0 || text[id - 1] == '\n') &&
         text.substr(id, 9) == fmt::format("{:08} ", id);
}

// The format of the line, by man 5 wndb:
//   offset lex_filenum ss_type w_cnt word lex_id [word lex_id ...] p_cnt [symbol offset pos
//   source/target ...] | gloss
Synset WordNetNouns::synset(SynsetId id) const {
  const std::string where = fmt::format("{}: {}", path_, synset_text(id));
  if (!has(id)) throw InputError(where, "no synset starts at this offset");
  const std::string_view line = first_line(file_.text().substr(id));
  const std::size_t bar = line.find('|');
  Fields fields(where, line.substr(0, bar));
  for (const char* what : {"its offset", "a lexicographer file", "its type"}) fields.next(what);
  const std::uint32_t words = fields.number("a count of words", 16);
  for (std::uint32_t i = 0; i < words; ++i) {
    fields.next("a word");
    fields.next("a sense number");
  }

  Synset synset;
  const std::uint32_t pointers = fields.number("a count of pointers");
  for (std::uint32_t i = 0; i < pointers; ++i) {
    const std::string_view symbol = fields.next("a pointer");
    const SynsetId target = fields.number("an offset");
    const std::string_view part_of_speech = fields.next("a part of speech");
    fields.next("a source and target");
    if ((symbol == "@" || symbol == "@i") && part_of_speech == "n")
      synset.hypernyms.push_back(target);
  }
  if (bar != std::string_view::npos) synset.definition = definition_in(line.substr(bar + 1));
  return synset;
}

// The format of a line, after those of the licence, which begin with a blank:
//   lemma pos synset_cnt p_cnt [ptr_symbol ...] sense_cnt tagsense_cnt synset_offset [synset_offset
//   ...]
NounIndex::NounIndex(const std::string& folder) {
  const std::string path = database_file(folder, "index.noun");
  const MappedFile file(path);
  std::size_t number = 0;
  for (std::string_view rest = file.text(), line; !rest.empty();
       rest.remove_prefix(std::min(line.size() + 1, rest.size()))) {
    line = first_line(rest);
    ++number;
    if (!line.empty() && line.front() == ' ') continue;
    const std::string where = fmt::format("{}:{}", path, number);
    Fields fields(where, line);
    std::vector<SynsetId>& senses = senses_[folded_name(fields.next("a noun"))];
    fields.next("a part of speech");
    const std::uint32_t synsets = fields.number("a count of synsets");
    const std::uint32_t pointers = fields.number("a count of pointers");
    for (std::uint32_t i = 0; i < pointers; ++i) fields.next("a pointer");
    for (const char* what : {"a count of senses", "a count of tagged senses"}) fields.next(what);
    for (std::uint32_t i = 0; i < synsets; ++i) {
      const SynsetId id = fields.number("an offset");
      if (std::find(senses.begin(), senses.end(), id) == senses.end()) senses.push_back(id);
    }
  }
}

std::vector<SynsetId> NounIndex::senses(const std::string& name) const {
  const auto found = senses_.find(folded_name(name));
  return found == senses_.end() ? std::vector<SynsetId>() : found->second;
}

std::string NounIndex::did_you_mean(const std::string& name) const {
  std::vector<std::string> nouns;
  nouns.reserve(senses_.size());
  for (const auto& [noun, senses] : senses_) nouns.push_back(noun);
  return bzscr::did_you_mean(folded_name(name), nouns);
}

}  // namespace bzscr
