#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bzscr {

/// A synset of WordNet's nouns: the byte of data.noun at which its line begins.
using SynsetId = std::uint32_t;

std::string synset_text(SynsetId id);  ///< "n02129165"

/// Nothing if the text is not an 'n' and eight digits.
std::optional<SynsetId> parse_synset_id(std::string_view text);

}  // namespace bzscr
