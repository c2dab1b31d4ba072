#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bzscr {

/// A noun synset of WordNet: the offset of its line in data.noun, in bytes.
using SynsetId = std::uint32_t;

std::string synset_text(SynsetId id);  ///< "n02129165"

/// Empty if the text is not an 'n' and eight digits.
std::optional<SynsetId> parse_synset_id(std::string_view text);

}  // namespace bzscr
