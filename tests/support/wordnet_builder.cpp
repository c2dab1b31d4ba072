#include "wordnet_builder.h"

#include <cstdio>

namespace bzscr::test {
namespace {

std::string padded(std::uint32_t number, int width, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, width, number);
  return text;
}

std::string offset_text(std::uint32_t offset) { return padded(offset, 8, "%0*u"); }

std::string data_line(const TestSynset& synset, const std::map<std::string, std::uint32_t>& ids,
                      const std::vector<TestSynset>& all) {
  const auto at = [&](const std::string& key) {
    return offset_text(ids.count(key) != 0 ? ids.at(key) : 0);
  };
  std::string pointers;
  std::uint32_t count = 0;
  const auto add = [&](const std::string& symbol, const std::string& offset,
                       const std::string& part_of_speech) {
    pointers += " " + symbol + " " + offset + " " + part_of_speech + " 0000";
    ++count;
  };
  for (const std::string& above : synset.hypernyms)
    if (above.rfind("i:", 0) == 0)
      add("@i", at(above.substr(2)), "n");
    else
      add("@", at(above), "n");
  for (const TestSynset& other : all)
    for (const std::string& above : other.hypernyms)
      if (above == synset.key) add("~", at(other.key), "n");
  add("+", "00000007", "v");
  add("@", "00000007", "v");  // a hypernym that is not a noun

  std::string line = at(synset.key) + " 05 n " +
                     padded(static_cast<std::uint32_t>(synset.words.size()), 2, "%0*x");
  for (const std::string& word : synset.words) line += " " + word + " 0";
  return line + " " + padded(count, 3, "%0*u") + pointers + " | " + synset.gloss + "  \n";
}

}  // namespace

WordNetFolder::WordNetFolder(const std::vector<TestSynset>& synsets) {
  const std::string licence =
      "  1 A small dictionary for tests.  \n  2 Whoever likes it may use it.  \n";
  std::string data = licence;
  for (const TestSynset& synset :
       synsets) {  // offsets have a fixed width, so line lengths do not depend on them
    ids_[synset.key] = static_cast<std::uint32_t>(data.size());
    data += data_line(synset, ids_, synsets);
  }
  data = licence;
  for (const TestSynset& synset : synsets) data += data_line(synset, ids_, synsets);
  write_bytes(*this / "data.noun", data);

  std::map<std::string, std::vector<std::uint32_t>> index;
  for (const TestSynset& synset : synsets)
    for (std::string word : synset.words) {
      for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      index[word].push_back(id(synset.key));
    }
  std::string lines = licence;
  for (const auto& [word, senses] : index) {
    const std::string count = std::to_string(senses.size());
    lines += word + " n " + count + " 2 @ ~ " + count + " 0";
    for (const std::uint32_t sense : senses) lines += " " + offset_text(sense);
    lines += "  \n";
  }
  write_bytes(*this / "index.noun", lines);
}

std::string WordNetFolder::text(const std::string& key) const { return "n" + offset_text(id(key)); }

std::vector<TestSynset> animals() {
  return {
      {"entity", {"entity"}, {}, "what exists"},
      {"animal",
       {"animal", "beast"},
       {"entity"},
       "a living organism that moves; \"a wild animal\""},
      {"artifact", {"artifact"}, {"entity"}},
      {"insect", {"insect"}, {"animal"}},
      {"ant", {"ant", "emmet"}, {"insect"}, "a social insect"},
      {"bee", {"bee"}, {"insect"}},
      {"vertebrate", {"vertebrate"}, {"animal"}},
      {"mammal", {"mammal"}, {"vertebrate"}},
      {"carnivore", {"carnivore"}, {"mammal"}},
      {"pet", {"pet"}, {"animal"}},
      {"cat", {"cat"}, {"carnivore", "pet"}},
      {"dog", {"dog"}, {"carnivore", "pet"}},
      {"fish", {"fish"}, {"vertebrate"}},
      {"eel", {"eel"}, {"fish"}},
      {"fox", {"fox"}, {"carnivore"}},
      {"gnu", {"gnu"}, {"mammal"}},
      {"bird", {"bird"}, {"vertebrate"}},
      {"hen", {"hen"}, {"bird", "pet"}},
      {"polar bear",
       {"polar_bear", "Ursus_Maritimus"},
       {"carnivore"},
       "white bear of Arctic regions"},
      {"Laika", {"Laika"}, {"i:dog"}, "the first animal in orbit"},
      {"bat", {"bat", "chiropteran"}, {"mammal"}, "nocturnal mouselike mammal"},
      {"club",
       {"bat", "cricket-bat"},
       {"artifact"},
       "a club for hitting a ball; \"he swung the bat\""},
      {"seal", {"seal"}, {"artifact"}, "a stamp"},
  };
}

}  // namespace bzscr::test
