#include "data/wordnet/synset_id.h"

#include <fmt/format.h>

namespace bzscr {

std::string synset_text(SynsetId id) { return fmt::format("n{:08}", id); }

std::optional<SynsetId> parse_synset_id(std::string_view text) {
  if (text.size() != 9 || text[0] != 'n') return std::nullopt;
  SynsetId id = 0;
  for (const char digit : text.substr(1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    id = 10 * id + static_cast<SynsetId>(digit - '0');
  }
  return id;
}

}  // namespace bzscr
