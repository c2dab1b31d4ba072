#pragma once

#include "data/synset_id.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr {

/// Names from a text file, one a line: UTF-8, with or without a byte order mark, lines ending in LF or
/// CR LF, the last one maybe not at all. White space around a name is not part of it. Throws InputError
/// naming file and line for a blank line, a name given twice, control characters or other encodings.
std::vector<std::string> read_class_names(const std::string& path);

/// Rows, rising, of the classes that a file of the same form names. Throws also for a name that is not
/// in `class_names`, with the nearest one that is.
std::vector<Index> read_class_list(const std::string& path, const std::vector<std::string>& class_names);

/// What synsets.txt says: a line for each class, in the order of classes.txt, that begins with the id of a noun
/// of WordNet 3.0, "n02129165"; what follows it after a blank is a remark. Throws InputError for anything else.
/// Whether WordNet has such a synset is not asked.
std::vector<SynsetId> read_synset_ids(const std::string& path, std::size_t classes);

}  // namespace bzscr
