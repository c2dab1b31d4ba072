#include "data/wordnet/name_forms.h"

namespace bzscr {
namespace {

bool separates(char c) { return c == ' ' || c == '+' || c == '-' || c == '_'; }

char folded(char c) {
  if (separates(c)) return '_';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string folded_name(std::string_view name) {
  std::string result(name);
  for (char& c : result) c = folded(c);
  return result;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (separates(name[at])) continue;
    if (at == 0 || separates(name[at - 1])) words.emplace_back();
    words.back() += name[at];
  }
  return words;
}

}  // namespace bzscr
